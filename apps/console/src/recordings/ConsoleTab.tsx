import type { Settings } from "@tapedeck/client"
import { CircleAlert, CloudAlert, type LucideIcon, Terminal } from "lucide-react"
import type { ReactNode } from "react"
import { Badge } from "../ui/Badge.tsx"
import { cx } from "../ui/cx.ts"
import { Empty, Loaded, Loading } from "../ui/states.tsx"
import { LogImport } from "./log/LogImport.tsx"
import { useRecordingErrors } from "./queries.ts"

const lineTone = (line: string): string =>
  /\berror\b/i.test(line.slice(0, 200)) ? "text-bad" : /\bwarn/i.test(line.slice(0, 200)) ? "text-warn" : "text-ink"

/** Maximum numbers of lines, and of characters of a line, that a browser lays out at once. */
const maxLines = 2_000
const maxLineLength = 10_000

const Lines = ({
  label,
  lines,
  toneOf
}: {
  readonly label: string
  readonly lines: ReadonlyArray<string>
  readonly toneOf: (line: string) => string
}) => (
  <ol
    aria-label={label}
    className="overflow-x-auto rounded-lg border border-line bg-surface py-2 font-mono text-xs leading-5"
  >
    {lines.slice(0, maxLines).map((line, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other key, and do not change
      <li key={index} className={cx("flex gap-3 px-3", toneOf(line))}>
        <span aria-hidden className="w-8 shrink-0 text-right text-faint select-none tabular">
          {index + 1}
        </span>
        <bdi className="min-w-0 break-all whitespace-pre-wrap">
          {line.length > maxLineLength ? `${line.slice(0, maxLineLength)} …` : line}
        </bdi>
      </li>
    ))}
    {lines.length > maxLines && <li className="px-3 text-soft">… and {lines.length - maxLines} lines more</li>}
  </ol>
)

/** An error in one line: a text as it is, a failed request as its method, address and status, anything else as JSON. */
const errorText = (error: unknown): string => {
  if (typeof error === "string") return error
  const { method = "", status, url } = (error ?? {}) as { readonly [key: string]: unknown }
  if (typeof url === "string" && (typeof status === "number" || typeof status === "string")) {
    return `${status} ${typeof method === "string" ? method : ""} ${url}`.replace("  ", " ")
  }
  return JSON.stringify(error)
}

interface ErrorsProps {
  readonly icon: LucideIcon
  readonly title: string
  readonly errors: ReadonlyArray<unknown>
  readonly children: ReactNode
}

const Errors = ({ children, errors, icon: Icon, title }: ErrorsProps) => (
  <section aria-label={title}>
    <h2 className="mb-2 flex items-center gap-2 font-semibold">
      <Icon aria-hidden className="size-4 text-soft" />
      {title}
      <Badge tone={errors.length > 0 ? "bad" : "plain"}>{errors.length}</Badge>
    </h2>
    {errors.length === 0 ? (
      <p className="text-soft">{children}</p>
    ) : (
      <Lines label={title} lines={errors.map(errorText)} toneOf={() => "text-bad"} />
    )}
  </section>
)

/** Console output and errors of a recorded page without a log. */
export const ConsoleTab = ({ recording: { console_logs: logs, uuid } }: { readonly recording: Settings.Recording }) => {
  const errors = useRecordingErrors(uuid)
  return (
    <div className="space-y-6">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="text-soft">There is no log. Import one as JSON Lines or HAR to read it beside the video.</p>
        <LogImport uuid={uuid} />
      </div>
      <Loaded query={errors} loading={<Loading rows={2} />}>
        {({ console_errors: consoleErrors, network_errors: networkErrors }) => (
          <div className="grid grid-cols-1 gap-6 lg:grid-cols-2">
            <Errors icon={CircleAlert} title="Console errors" errors={consoleErrors}>
              The page wrote no error to its console.
            </Errors>
            <Errors icon={CloudAlert} title="Network errors" errors={networkErrors}>
              No request of the page failed.
            </Errors>
          </div>
        )}
      </Loaded>
      {logs === null || logs === "" ? (
        <Empty icon={Terminal} title="No console output">
          What the page wrote to the console while it was recorded shows here.
        </Empty>
      ) : (
        <section aria-label="Output">
          <h2 className="mb-2 font-semibold">Output</h2>
          <Lines label="Console output" lines={logs.split("\n")} toneOf={lineTone} />
        </section>
      )}
    </div>
  )
}
