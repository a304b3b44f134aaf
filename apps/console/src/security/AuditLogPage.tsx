import { useNavigate, useSearch } from "@tanstack/react-router"
import type { Settings } from "@tapedeck/client"
import { auditCategories, auditEventTypes, auditSeverities } from "@tapedeck/domain/audit"
import { ShieldCheck } from "lucide-react"
import { useMemo, useState } from "react"
import { tapedeck } from "../api/client.ts"
import { usePeople } from "../people/queries.ts"
import { RecordingFilter } from "../recordings/RecordingFilter.tsx"
import type { readSecuritySearch } from "../search.ts"
import { Badge } from "../ui/Badge.tsx"
import { Button } from "../ui/Button.tsx"
import { type Column, DataTable } from "../ui/DataTable.tsx"
import { FilterSelect } from "../ui/Field.tsx"
import { choiceOf, count, known, words } from "../ui/format.ts"
import { Page } from "../ui/Page.tsx"
import { Period } from "../ui/Period.tsx"
import { Empty, Loaded } from "../ui/states.tsx"
import { When } from "../ui/time.tsx"
import { usePages } from "../ui/usePages.ts"
import { ChainStatus } from "./ChainStatus.tsx"
import { EntryDialog } from "./EntryDialog.tsx"
import { ExportMenu } from "./ExportMenu.tsx"
import { SecurityTabs } from "./SecurityTabs.tsx"
import { type NameOf, Sentence, sentenceText, useEntryNames } from "./sentence.tsx"

type Entry = Settings.AuditEntry

const none: ReadonlyArray<Entry> = []

const severityTones = { low: "plain", medium: "warn", high: "bad" } as const

const columnsOf = (onOpen: (entry: Entry) => void, nameOf: NameOf): ReadonlyArray<Column<Entry>> => [
  {
    id: "sentence",
    header: "What happened",
    className: "flex-1 basis-64",
    cell: (entry) => (
      <button
        type="button"
        title={sentenceText(entry, nameOf)}
        className="line-clamp-2 max-w-full text-left wrap-anywhere whitespace-normal hover:underline"
        onClick={() => onOpen(entry)}
      >
        <Sentence entry={entry} nameOf={nameOf} />
      </button>
    )
  },
  {
    id: "event",
    header: "Event",
    className: "w-56 max-lg:hidden",
    cell: ({ event_type }) => <span className="font-mono text-xs text-soft">{event_type}</span>
  },
  {
    id: "status",
    header: "Result",
    className: "w-20 max-sm:hidden",
    cell: ({ status }) =>
      status === "success" ? <span className="text-soft">Done</span> : <span className="text-bad">Refused</span>
  },
  {
    id: "severity",
    header: "Severity",
    className: "w-20 max-sm:hidden",
    cell: ({ severity }) => <Badge tone={known(severityTones, severity) ?? "plain"}>{words(severity)}</Badge>
  },
  {
    id: "at",
    header: "When",
    className: "w-28 text-right text-soft",
    cell: ({ timestamp }) => <When at={timestamp} />
  }
]

/** Maximum length of a target's id that the API searches for, in characters. */
const maxTargetLength = 255

type AuditSearch = ReturnType<typeof readSecuritySearch>

/** Returns the filters as a query of the API. Days are in UTC, as the log's instants are. */
const queryOf = (search: AuditSearch): Settings.AuditEntriesListQuery => {
  const { category, event, severity } = search
  const day = (text: string | undefined) => (text !== undefined && /^\d{4}-\d\d-\d\d$/.test(text) ? text : undefined)
  const since = day(search.since)
  const until = day(search.until)
  return {
    ...(category !== undefined && { category }),
    ...(event !== undefined && { event_type: event }),
    ...(severity !== undefined && { severity }),
    ...(search.user !== undefined && /^\d+$/.test(search.user) && { user: Number(search.user) }),
    ...(search.recording !== undefined && { target_id: search.recording.slice(0, maxTargetLength) }),
    ...(since !== undefined && { since: `${since}T00:00:00.000Z` }),
    ...(until !== undefined && { until: `${until}T00:00:00.000Z` })
  }
}

export const AuditLogPage = () => {
  const search = useSearch({ from: "/security" })
  const navigate = useNavigate({ from: "/security" })
  const query = queryOf(search)
  const entries = usePages<Entry>(
    ["audit", query],
    (asked) => tapedeck.settings.auditEntries.list({ ...query, ...asked }),
    ({ id }) => id
  )
  const users = usePeople()
  const [open, setOpen] = useState<Entry | null>(null)
  const nameOf = useEntryNames(entries.data ?? none)
  const columns = useMemo(() => columnsOf(setOpen, nameOf), [nameOf])
  const set = (change: AuditSearch) => navigate({ search: (before) => ({ ...before, ...change }) })
  const isFiltered = Object.keys(query).length > 0
  return (
    <Page title="Security" actions={<ExportMenu query={query} />}>
      <div className="flex h-full min-h-96 flex-col">
        <SecurityTabs />
        <ChainStatus />
        <div className="mb-3 flex flex-wrap items-center gap-2">
          <FilterSelect
            label="Category"
            value={search.category ?? ""}
            onChange={({ target }) => set({ category: choiceOf(auditCategories, target.value) })}
          >
            <option value="">All categories</option>
            {auditCategories.map((one) => (
              <option key={one} value={one}>
                {words(one)}
              </option>
            ))}
          </FilterSelect>
          <FilterSelect
            label="Event type"
            value={search.event ?? ""}
            onChange={({ target }) => set({ event: choiceOf(auditEventTypes, target.value) })}
          >
            <option value="">All events</option>
            {auditEventTypes.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </FilterSelect>
          <FilterSelect
            label="Severity"
            value={search.severity ?? ""}
            onChange={({ target }) => set({ severity: choiceOf(auditSeverities, target.value) })}
          >
            <option value="">Any severity</option>
            {auditSeverities.map((one) => (
              <option key={one} value={one}>
                {words(one)}
              </option>
            ))}
          </FilterSelect>
          <FilterSelect label="Who" value={search.user ?? ""} onChange={({ target }) => set({ user: target.value })}>
            <option value="">All people</option>
            {users.data?.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </FilterSelect>
          <Period since={search.since} until={search.until} onChange={set} />
          <RecordingFilter value={search.recording} onChange={(recording) => set({ recording })} />
          <span role="status" className="ml-auto text-soft tabular">
            {entries.data !== undefined && count(entries.total, "entry", "entries")}
          </span>
        </div>
        <Loaded query={entries}>
          {(rows) =>
            rows.length === 0 ? (
              <Empty
                icon={ShieldCheck}
                title={isFiltered ? "No entry matches" : "Nothing has happened yet"}
                action={
                  isFiltered ? <Button onClick={() => navigate({ search: {} })}>Show all entries</Button> : undefined
                }
              >
                Sign-ins, views of secrets, changes, deletions and refusals are entries here. An entry never changes.
              </Empty>
            ) : (
              <DataTable
                label="Audit log"
                columns={columns}
                rows={rows}
                idOf={({ id }) => String(id)}
                total={entries.total}
                rowHeight={52}
                onOpen={setOpen}
                onEnd={entries.onEnd}
              />
            )
          }
        </Loaded>
      </div>
      {open !== null && <EntryDialog entry={open} nameOf={nameOf} onClose={() => setOpen(null)} />}
    </Page>
  )
}
