import { useQueryClient } from "@tanstack/react-query"
import { FileUp } from "lucide-react"
import { useState } from "react"
import { noteError, tapedeck } from "../../api/client.ts"
import { buttonClass } from "../../ui/Button.tsx"
import { cx } from "../../ui/cx.ts"
import { done, failed } from "../../ui/Toasts.tsx"

/** A HAR is one JSON object whose first key is `log`; a capture log is many lines. */
const isHar = (text: string): boolean => /^\s*\{\s*"log"\s*:/.test(text.slice(0, 1_000))

/** The first repairs, after the message. */
export const repairText = ({
  count,
  first
}: {
  readonly count: number
  readonly first: ReadonlyArray<Repair>
}): string => {
  if (count === 0) return ""
  const shown = first.slice(0, maxShownRepairs).map(({ repair, where }) => `${where}: ${repair}.`)
  return ` Repairs: ${count}. ${shown.join(" ")}`
}

interface Repair {
  readonly where: string
  readonly repair: string
}

const maxShownRepairs = 3

/** Imports a log that was recorded elsewhere: JSON Lines or HAR. */
export const LogImport = ({ uuid }: { readonly uuid: string }) => {
  const client = useQueryClient()
  const [isBusy, setBusy] = useState(false)
  const read = async (file: File | undefined) => {
    if (file === undefined) return
    setBusy(true)
    try {
      const text = await file.text()
      const { recordings } = tapedeck.settings
      const { log_repairs } = isHar(text)
        ? await recordings.importLog(uuid, JSON.parse(text))
        : await recordings.importLog(uuid, text, { contentType: "application/x-ndjson" })
      done(`The log is imported.${repairText(log_repairs)}`)
      await client.invalidateQueries({ queryKey: ["recordings", uuid] })
    } catch (error) {
      noteError(error)
      failed(error)
    }
    setBusy(false)
  }
  return (
    <label className={cx(buttonClass(), "has-focus-visible:outline-2 has-focus-visible:outline-accent")}>
      <FileUp aria-hidden className="size-3.5" />
      Import a log
      <input
        type="file"
        accept=".ndjson,.jsonl,.har,.json"
        className="sr-only"
        disabled={isBusy}
        onChange={({ target }) => {
          void read(target.files?.[0])
          target.value = ""
        }}
      />
    </label>
  )
}
