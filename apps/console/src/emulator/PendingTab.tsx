import { Link } from "@tanstack/react-router"
import { Hourglass } from "lucide-react"
import type { ClockEvent } from "../api/control.ts"
import { Badge } from "../ui/Badge.tsx"
import { Button } from "../ui/Button.tsx"
import { type Column, DataTable } from "../ui/DataTable.tsx"
import { elapsed, known } from "../ui/format.ts"
import { Empty, Loaded } from "../ui/states.tsx"
import { Countdown } from "../ui/time.tsx"
import { useClock, useMove } from "./clock.ts"

/** Subjects of events that repeat. */
const repeatingSubjects: Readonly<Record<string, string>> = {
  retention: "expired records",
  seal: "audit entries",
  sweep: "expired uploads"
}

const columnsOf = (onMove: (to: string) => void): ReadonlyArray<Column<ClockEvent>> => [
  {
    id: "kind",
    header: "Event",
    className: "w-36",
    cell: ({ attempt, kind }) => (
      <Badge tone={kind === "transcript" ? "info" : "warn"}>
        {kind.replaceAll("_", " ")}
        {attempt !== undefined && ` ${attempt}`}
      </Badge>
    )
  },
  {
    id: "id",
    header: "Subject",
    className: "flex-1 basis-40",
    cell: ({ id, kind }) =>
      kind === "transcript" || kind === "capture" ? (
        <Link to="/recordings/$uuid" params={{ uuid: id }} className="font-mono text-xs hover:underline">
          {id}
        </Link>
      ) : kind === "attempt" || kind === "attempt_end" ? (
        <Link to="/deliveries/$id" params={{ id }} className="font-mono text-xs hover:underline">
          {id}
        </Link>
      ) : (
        <span className="font-mono text-xs">{known(repeatingSubjects, kind) ?? id}</span>
      )
  },
  {
    id: "since",
    header: "Since the first",
    className: "w-28 text-soft tabular max-md:hidden",
    cell: ({ elapsed_ms: ms }) => (ms === undefined ? "" : ms === 0 ? "first" : elapsed(ms))
  },
  { id: "at", header: "Due", className: "w-28 text-right", cell: ({ at }) => <Countdown at={at} /> },
  {
    id: "move",
    header: "Move",
    isHeaderHidden: true,
    className: "w-24 text-right max-sm:hidden",
    cell: ({ at }) => (
      <Button isSmall onClick={() => onMove(at)}>
        Move there
      </Button>
    )
  }
]

/** Pending events, in the order in which they will fire. */
export const PendingTab = () => {
  const clock = useClock()
  const move = useMove(clock.data?.now)
  return (
    <Loaded query={clock}>
      {({ pending, repeating = [] }) =>
        pending.length + repeating.length === 0 ? (
          <Empty icon={Hourglass} title="Nothing is pending">
            Retries, transcripts, mails and deliveries that are due show here until the clock reaches them. Add a
            recording to a folder that has an automation to see one.
          </Empty>
        ) : (
          <DataTable
            label="Pending"
            columns={columnsOf((to) => move.mutate({ to }))}
            rows={[...pending, ...repeating]}
            idOf={({ at, id, kind }) => `${at} ${kind} ${id}`}
            rowHeight={40}
          />
        )
      }
    </Loaded>
  )
}
