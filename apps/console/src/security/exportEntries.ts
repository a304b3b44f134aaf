import type { Settings } from "@tapedeck/client"
import { tapedeck } from "../api/client.ts"

type Entry = Settings.AuditEntry

/** A cell that a spreadsheet does not read as a formula. */
const cell = (value: string | number | null | undefined): string => {
  const text = String(value ?? "")
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return `"${safe.replaceAll('"', '""')}"`
}

const columns = [
  "id",
  "timestamp",
  "event_type",
  "category",
  "severity",
  "status",
  "user_email",
  "ip_address",
  "user_agent",
  "target_type",
  "target_id",
  "changes"
]

const csvLine = (entry: Entry): string =>
  [
    entry.id,
    entry.timestamp,
    entry.event_type,
    entry.category,
    entry.severity,
    entry.status,
    entry.user?.email,
    entry.ip_address,
    entry.user_agent,
    entry.metadata.target_type,
    entry.metadata.target_id,
    JSON.stringify(entry.metadata.changes)
  ]
    .map(cell)
    .join(",")

export type ExportFormat = "ndjson" | "csv"

const formats = {
  ndjson: { type: "application/x-ndjson", head: "", line: (entry: Entry) => JSON.stringify(entry) },
  csv: { type: "text/csv", head: `${columns.join(",")}\r\n`, line: (entry: Entry) => `${csvLine(entry)}\r` }
} as const

/** Reads all matching entries, page by page, into a file. */
export const exportEntries = async (
  query: Settings.AuditEntriesListQuery,
  format: ExportFormat,
  onProgress: (entries: number) => void,
  signal: AbortSignal
): Promise<Blob> => {
  const { head, line, type } = formats[format]
  const parts: Array<string> = [head]
  let read = 0
  for await (const entry of tapedeck.settings.auditEntries.list(query, { signal })) {
    parts.push(`${line(entry)}\n`)
    read += 1
    if (read % 100 === 0) onProgress(read)
  }
  return new Blob(parts, { type })
}
