import { Copy } from "lucide-react"
import { useMemo, useState } from "react"
import { Button } from "./Button.tsx"
import { copyText } from "./copyText.ts"
import { bytes, textBytes } from "./format.ts"
import { Scrollable } from "./Scrollable.tsx"

/** Maximum length that is shown at first, in characters, because a browser lays out a line of a megabyte slowly. A button shows the rest. */
const maxShown = 20_000

const pretty = (text: string): string | null => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return null
  }
}

/** A body as text, pretty if it is JSON. It is never markup. */
export const Body = ({
  isCut = false,
  label,
  text
}: {
  readonly label: string
  readonly text: string
  readonly isCut?: boolean
}) => {
  const [isRaw, setRaw] = useState(false)
  const [isWhole, setWhole] = useState(false)
  const json = useMemo(() => pretty(text), [text])
  const all = isRaw || json === null ? text : json
  const shown = isWhole ? all : all.slice(0, maxShown)
  if (text === "") return <p className="text-soft">The {label.toLowerCase()} is empty.</p>
  return (
    <div className="overflow-hidden rounded-md border border-line">
      <div className="flex items-center gap-2 border-b border-line bg-sunken px-3 py-1 text-xs text-soft">
        <span className="font-medium">{label}</span>
        <span className="tabular">{isCut ? `the first ${bytes(textBytes(text))}` : bytes(textBytes(text))}</span>
        <span className="ml-auto flex gap-1">
          {json !== null && (
            <Button isSmall look="quiet" aria-pressed={isRaw} onClick={() => setRaw(!isRaw)}>
              {isRaw ? "Pretty" : "Raw"}
            </Button>
          )}
          <Button isSmall look="quiet" icon={Copy} onClick={() => copyText(text)}>
            Copy
          </Button>
        </span>
      </div>
      <Scrollable label={label} className="max-h-96 overflow-auto bg-surface p-3">
        <pre dir="ltr" className="font-mono text-xs leading-5 break-all whitespace-pre-wrap">
          {shown}
        </pre>
      </Scrollable>
      {shown.length < all.length && (
        <div className="border-t border-line p-2">
          <Button isSmall onClick={() => setWhole(true)}>
            Show all {bytes(textBytes(all))}
          </Button>
        </div>
      )}
    </div>
  )
}

/** Names and values, as text. */
export const Headers = ({
  headers,
  label
}: {
  readonly label: string
  readonly headers: Readonly<Record<string, string>>
}) => (
  <div className="overflow-hidden rounded-md border border-line">
    <div className="border-b border-line bg-sunken px-3 py-1 text-xs font-medium text-soft">{label}</div>
    <dl className="grid grid-cols-[minmax(7rem,max-content)_minmax(0,1fr)] gap-x-4 gap-y-1 p-3 font-mono text-xs">
      {Object.entries(headers).map(([name, value]) => (
        <div key={name} className="col-span-2 grid grid-cols-subgrid">
          <dt className="break-all text-soft">{name}</dt>
          <dd className="break-all">{value}</dd>
        </div>
      ))}
    </dl>
  </div>
)
