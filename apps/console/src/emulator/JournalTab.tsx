import { useQuery } from "@tanstack/react-query"
import { BookOpen } from "lucide-react"
import { useState } from "react"
import { control } from "../api/control.ts"
import { Badge, type Tone } from "../ui/Badge.tsx"
import { type Column, DataTable } from "../ui/DataTable.tsx"
import { FilterSelect } from "../ui/Field.tsx"
import { Empty, Loaded } from "../ui/states.tsx"
import { When } from "../ui/time.tsx"

interface Entry {
  readonly seq: number
  readonly at: string
  readonly kind: string
  readonly method?: string
  readonly path?: string
  readonly status?: number | string
  readonly user?: string | null
  readonly rule?: string
  readonly unknown_query?: ReadonlyArray<string>
  readonly [field: string]: unknown
}

const kinds = ["request", "attempt", "transcript", "clock", "fault", "control"] as const

const tones: Readonly<Record<string, Tone>> = { attempt: "warn", transcript: "info", fault: "bad", clock: "good" }

/** What an entry says, by its kind. */
const textOf = (entry: Entry): string => {
  const { at: _, kind, seq: __, ...fields } = entry
  if (kind === "request" || kind === "control") {
    const user = entry.user === undefined || entry.user === null ? "" : ` by ${entry.user}`
    const rule = entry.rule === undefined ? "" : ` (${entry.rule})`
    const unknown = entry.unknown_query === undefined ? "" : `, unknown query ${entry.unknown_query.join(", ")}`
    return `${entry.method} ${entry.path} → ${entry.status}${user}${rule}${unknown}`
  }
  return Object.entries(fields)
    .filter(([, value]) => typeof value !== "object" && value !== null)
    .map(([name, value]) => `${name} ${value}`)
    .join(", ")
}

const columns: ReadonlyArray<Column<Entry>> = [
  { id: "seq", header: "No.", className: "w-12 text-right text-soft tabular", cell: ({ seq }) => seq },
  {
    id: "kind",
    header: "Kind",
    className: "w-24",
    cell: ({ kind }) => <Badge tone={tones[kind] ?? "plain"}>{kind}</Badge>
  },
  {
    id: "text",
    header: "What",
    className: "flex-1 basis-64",
    cell: (entry) => (
      <code title={textOf(entry)} className="font-mono text-xs">
        {textOf(entry)}
      </code>
    )
  },
  { id: "at", header: "When", className: "w-28 text-right text-soft", cell: ({ at }) => <When at={at} /> }
]

/** What happened in the world, latest first. */
export const JournalTab = () => {
  const [kind, setKind] = useState("")
  const journal = useQuery({
    queryKey: ["control", "journal", kind],
    queryFn: async () => {
      const { dropped, entries } = await control<{
        readonly entries: ReadonlyArray<Entry>
        readonly dropped: number
      }>("GET", `/journal${kind === "" ? "" : `?kind=${kind}`}`)
      return { dropped, entries: entries.toReversed() }
    }
  })
  return (
    <div className="flex h-[34rem] flex-col gap-3">
      <div className="flex items-center gap-3">
        <FilterSelect label="Kind" value={kind} onChange={({ target }) => setKind(target.value)}>
          <option value="">Everything</option>
          {kinds.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </FilterSelect>
        {(journal.data?.dropped ?? 0) > 0 && (
          <span className="text-soft">{journal.data?.dropped} older entries are not kept.</span>
        )}
      </div>
      <Loaded query={journal}>
        {({ entries }) =>
          entries.length === 0 ? (
            <Empty icon={BookOpen} title="No entries">
              Requests, attempts, faults and moves of the clock are written here as they happen.
            </Empty>
          ) : (
            <DataTable
              label="Journal"
              columns={columns}
              rows={entries}
              idOf={({ seq }) => String(seq)}
              rowHeight={36}
            />
          )
        }
      </Loaded>
    </div>
  )
}
