import { Menu } from "@base-ui/react/menu"
import type { Settings } from "@tapedeck/client"
import { Download } from "lucide-react"
import { useRef, useState } from "react"
import { noteError } from "../api/client.ts"
import { Button, buttonClass } from "../ui/Button.tsx"
import { done, failed } from "../ui/Toasts.tsx"
import { type ExportFormat, exportEntries } from "./exportEntries.ts"

const formats = [
  ["ndjson", "NDJSON, an entry a line"],
  ["csv", "CSV, for a spreadsheet"]
] as const

/** Saves the entries that match the filters. */
export const ExportMenu = ({ query }: { readonly query: Settings.AuditEntriesListQuery }) => {
  const [read, setRead] = useState<number | null>(null)
  const stop = useRef<AbortController>(undefined)
  const save = async (format: ExportFormat) => {
    stop.current = new AbortController()
    setRead(0)
    try {
      const blob = await exportEntries(query, format, setRead, stop.current.signal)
      const link = document.createElement("a")
      link.href = URL.createObjectURL(blob)
      link.download = `audit-log.${format}`
      link.click()
      URL.revokeObjectURL(link.href)
      done("The audit log is exported.")
    } catch (error) {
      noteError(error)
      if (stop.current.signal.aborted) done("The export is stopped.")
      else failed(error)
    }
    setRead(null)
  }
  if (read !== null) {
    return (
      <span className="flex items-center gap-2">
        <span role="status" className="text-soft tabular">
          {read.toLocaleString("en")} entries read
        </span>
        <Button onClick={() => stop.current?.abort()}>Stop</Button>
      </span>
    )
  }
  return (
    <Menu.Root>
      <Menu.Trigger className={buttonClass()}>
        <Download aria-hidden className="size-3.5" />
        Export
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner sideOffset={4} align="end" className="z-40">
          <Menu.Popup className="min-w-48 rounded-lg border border-line bg-raised p-1 shadow-pop outline-none">
            {formats.map(([format, name]) => (
              <Menu.Item
                key={format}
                className="cursor-pointer rounded px-2.5 py-1.5 outline-none data-highlighted:bg-hover"
                onClick={() => save(format)}
              >
                {name}
              </Menu.Item>
            ))}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  )
}
