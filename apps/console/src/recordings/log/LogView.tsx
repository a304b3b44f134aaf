import type { Settings } from "@tapedeck/client"
import { Download } from "lucide-react"
import { useDeferredValue, useMemo, useState } from "react"
import { Button } from "../../ui/Button.tsx"
import { FilterSelect } from "../../ui/Field.tsx"
import { count } from "../../ui/format.ts"
import { SearchBox } from "../../ui/SearchBox.tsx"
import { saveHar, saveLog } from "../saveFiles.ts"
import { EventDetail } from "./EventDetail.tsx"
import type { LogRow } from "./events.ts"
import { filtered, groups, type LogFilter, levels, noFilter, statuses } from "./filter.ts"
import { LogList } from "./LogList.tsx"

interface LogViewProps {
  readonly recording: Settings.Recording
  readonly rows: ReadonlyArray<LogRow>
  readonly seconds: number
  readonly onJump: (seconds: number) => void
}

/** The capture log beside the video: it follows the playback, and a selected event moves the video to its time. */
export const LogView = ({ onJump, recording, rows, seconds }: LogViewProps) => {
  const [filter, setFilter] = useState(noFilter)
  const [isFollowing, setFollowing] = useState(true)
  const [selected, setSelected] = useState<LogRow | null>(null)
  const applied = useDeferredValue(filter)
  const shown = useMemo(() => filtered(rows, applied), [rows, applied])
  const select = (row: LogRow) => {
    setSelected(row)
    onJump(Math.max(0, row.event.t / 1_000))
  }
  return (
    <div className="space-y-3">
      <div className="flex flex-wrap items-center gap-2">
        <Filters filter={filter} onChange={(part) => setFilter({ ...filter, ...part })} />
        <label className="flex items-center gap-1.5">
          <input
            type="checkbox"
            className="size-4 accent-accent-strong"
            checked={isFollowing}
            onChange={({ target }) => setFollowing(target.checked)}
          />
          Follow the video
        </label>
        <span role="status" className="ml-auto text-soft tabular">
          {shown.length < rows.length && `${shown.length.toLocaleString("en")} of `}
          {count(rows.length, "event")}
        </span>
        <Button isSmall icon={Download} onClick={() => saveLog(recording)}>
          Log
        </Button>
        <Button isSmall icon={Download} onClick={() => saveHar(recording)}>
          HAR
        </Button>
      </div>
      {shown.length === 0 ? (
        <p className="rounded-lg border border-line bg-surface p-6 text-center text-soft">
          {rows.length === 0 ? "Nothing happened on the page." : "No event matches."}
        </p>
      ) : (
        <LogList
          rows={shown}
          seconds={seconds}
          isFollowing={isFollowing}
          selected={selected}
          onSelect={select}
          onLeave={() => setFollowing(false)}
        />
      )}
      {selected !== null && <EventDetail event={selected.event} onClose={() => setSelected(null)} />}
    </div>
  )
}

interface FiltersProps {
  readonly filter: LogFilter
  readonly onChange: (part: Partial<LogFilter>) => void
}

const Filters = ({ filter: { group, level, status, text }, onChange }: FiltersProps) => (
  <>
    <SearchBox
      label="Search in the log"
      placeholder="Message or address"
      maxLength={500}
      value={text}
      onSearch={(text) => onChange({ text })}
    />
    <FilterSelect
      label="Events shown"
      value={group}
      onChange={({ target }) => onChange({ group: target.value as LogFilter["group"] })}
    >
      {Object.entries(groups).map(([value, name]) => (
        <option key={value} value={value}>
          {name}
        </option>
      ))}
    </FilterSelect>
    {group === "console" && (
      <FilterSelect label="Level" value={level} onChange={({ target }) => onChange({ level: target.value })}>
        <option value="">Any level</option>
        {levels.map((one) => (
          <option key={one}>{one}</option>
        ))}
      </FilterSelect>
    )}
    {group === "network" && (
      <FilterSelect
        label="Status"
        value={status}
        onChange={({ target }) => onChange({ status: target.value as LogFilter["status"] })}
      >
        {Object.entries(statuses).map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </FilterSelect>
    )}
  </>
)
