import { useQuery } from "@tanstack/react-query"
import { BookOpen } from "lucide-react"
import { useMemo, useState } from "react"
import { control } from "../api/control.ts"
import { Badge, type Tone } from "../ui/Badge.tsx"
import { type Column, DataTable } from "../ui/DataTable.tsx"
import { FilterSelect } from "../ui/Field.tsx"
import { known } from "../ui/format.ts"
import { Empty, Loaded } from "../ui/states.tsx"
import { When } from "../ui/time.tsx"
import { type Entry, type Journal, JournalEntry } from "./JournalEntry.tsx"

const kinds = ["request", "attempt", "transcript", "job", "clock", "fault", "control"] as const

const tones: Readonly<Record<string, Tone>> = { attempt: "warn", transcript: "info", fault: "bad", clock: "good" }

/** Returns the text of an entry, by its kind. */
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

const columnsOf = (onOpen: (entry: Entry) => void): ReadonlyArray<Column<Entry>> => [
  {
    id: "seq",
    header: "No.",
    className: "w-12 text-right text-soft tabular max-sm:hidden",
    cell: ({ seq }) => seq
  },
  {
    id: "kind",
    header: "Kind",
    className: "w-20 shrink-0",
    cell: ({ kind }) => <Badge tone={known(tones, kind) ?? "plain"}>{kind}</Badge>
  },
  {
    id: "text",
    header: "Description",
    className: "flex-1 basis-48",
    cell: (entry) => (
      <button
        type="button"
        title={textOf(entry)}
        className="block w-full truncate rounded-sm text-left font-mono text-xs hover:underline"
        onClick={() => onOpen(entry)}
      >
        {textOf(entry)}
      </button>
    )
  },
  {
    id: "at",
    header: "When",
    className: "w-28 text-right text-soft max-sm:hidden",
    cell: ({ at }) => <When at={at} />
  }
]

/** The journal of the world, latest entry first. The console's own requests are omitted unless the filter shows them. */
export const JournalTab = () => {
  const [kind, setKind] = useState("")
  const [isConsoleShown, setConsoleShown] = useState(false)
  const [opened, setOpened] = useState<Entry | null>(null)
  const columns = useMemo(() => columnsOf(setOpened), [])
  const journal = useQuery({
    queryKey: ["control", "journal", kind],
    queryFn: async () => {
      const { dropped, entries } = await control<Journal>("GET", `/journal${kind === "" ? "" : `?kind=${kind}`}`)
      return { dropped, entries: entries.toReversed() }
    }
  })
  const dropped = journal.data?.dropped ?? 0
  return (
    <div className="flex h-[34rem] flex-col gap-3">
      <div className="flex flex-wrap items-center gap-3">
        <FilterSelect label="Kind" value={kind} onChange={({ target }) => setKind(target.value)}>
          <option value="">Everything</option>
          {kinds.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </FilterSelect>
        <FilterSelect
          label="Requests of the console"
          value={isConsoleShown ? "with" : "without"}
          onChange={({ target }) => setConsoleShown(target.value === "with")}
        >
          <option value="without">Without the console</option>
          <option value="with">With the console</option>
        </FilterSelect>
        {dropped > 0 && <span className="text-soft">{dropped} older entries are not kept.</span>}
      </div>
      <Loaded query={journal}>
        {({ entries }) => {
          const shown = isConsoleShown ? entries : entries.filter(({ origin }) => origin !== "console")
          return shown.length === 0 ? (
            <Empty icon={BookOpen} title="No entries">
              Requests, attempts, faults and moves of the clock are written here as they happen.
              {shown.length < entries.length && " The requests of the console are left out."}
            </Empty>
          ) : (
            <DataTable
              label="Journal"
              columns={columns}
              rows={shown}
              idOf={({ seq }) => String(seq)}
              rowHeight={36}
              onOpen={setOpened}
            />
          )
        }}
      </Loaded>
      {opened !== null && <JournalEntry entry={opened} onClose={() => setOpened(null)} />}
    </div>
  )
}
