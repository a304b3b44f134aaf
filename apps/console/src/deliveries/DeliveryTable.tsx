import { Link, useNavigate } from "@tanstack/react-router"
import type { Settings } from "@tapedeck/client"
import { useMemo } from "react"
import { Badge } from "../ui/Badge.tsx"
import { type Column, DataTable } from "../ui/DataTable.tsx"
import { milliseconds } from "../ui/format.ts"
import { Countdown, When } from "../ui/time.tsx"
import { useReceiverName } from "./queries.ts"
import { outcomeInWords, outcomeOf, stateTone, stateWord, subjectOf } from "./words.ts"

type Delivery = Settings.Delivery

/** The last answer and the next attempt, for narrow screens: `: 500, again in 56 s`. */
const LastAnswer = ({ delivery: { attempts, next_attempt_at: next } }: { readonly delivery: Delivery }) => {
  const last = attempts.at(-1)
  return (
    <>
      {last !== undefined && `: ${outcomeOf(last)}`}
      {last !== undefined && next !== null && (
        <>
          , again <Countdown at={next} />
        </>
      )}
    </>
  )
}

const columnsOf = (receiverName: (delivery: Delivery) => string): ReadonlyArray<Column<Delivery>> => [
  {
    id: "state",
    header: "State",
    className: "w-40",
    cell: ({ state, test }) => (
      <span className="flex gap-1">
        <Badge tone={stateTone(state)}>{stateWord(state)}</Badge>
        {test && <Badge>Test</Badge>}
      </span>
    )
  },
  {
    id: "event",
    header: "Delivery",
    className: "flex-1 basis-48",
    cell: (one) => (
      <span>
        <Link
          to="/deliveries/$id"
          params={{ id: one.id }}
          title={one.id}
          className="block truncate font-medium hover:underline"
        >
          <bdi>{subjectOf(one) ?? one.event}</bdi>
        </Link>
        <span className="flex text-xs text-soft">
          <span className="truncate">
            → <bdi>{receiverName(one)}</bdi>
          </span>
          <span className="shrink-0 whitespace-pre md:hidden">
            <LastAnswer delivery={one} />
          </span>
        </span>
      </span>
    )
  },
  {
    id: "outcome",
    header: "Last answer",
    className: "w-36 max-md:hidden",
    cell: ({ attempts, error }) => {
      const last = attempts.at(-1)
      if (last === undefined) return <span className="text-faint">{error === null ? "–" : "Payload too large"}</span>
      return (
        <span
          title={outcomeInWords(last)}
          className={last.outcome === "success" ? "text-good tabular" : "text-bad tabular"}
        >
          {outcomeOf(last)} <span className="text-soft">in {milliseconds(last.duration_ms)}</span>
        </span>
      )
    }
  },
  {
    id: "attempts",
    header: "Attempts",
    className: "w-16 text-right tabular max-lg:hidden",
    cell: ({ attempts }) => attempts.length
  },
  {
    id: "next",
    header: "Next attempt",
    className: "w-28 text-right max-lg:hidden",
    cell: ({ next_attempt_at: next }) =>
      next === null ? <span className="text-faint">–</span> : <Countdown at={next} />
  },
  {
    id: "created",
    header: "Created",
    className: "w-28 text-right text-soft max-sm:hidden",
    cell: ({ created_at: at }) => <When at={at} />
  }
]

interface DeliveryTableProps {
  readonly rows: ReadonlyArray<Delivery>
  readonly total: number
  readonly onEnd: () => void
}

/** An execution log: deliveries with their receiver and outcome. */
export const DeliveryTable = ({ onEnd, rows, total }: DeliveryTableProps) => {
  const receiverName = useReceiverName()
  const navigate = useNavigate()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the names that it gives change with the rows at most
  const columns = useMemo(() => columnsOf(receiverName), [rows])
  return (
    <DataTable
      label="Deliveries"
      columns={columns}
      rows={rows}
      idOf={({ id }) => id}
      total={total}
      rowHeight={52}
      onOpen={({ id }) => navigate({ to: "/deliveries/$id", params: { id } })}
      onEnd={onEnd}
    />
  )
}
