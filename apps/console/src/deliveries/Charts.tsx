import { keepPreviousData, useQuery } from "@tanstack/react-query"
import type { Settings } from "@tapedeck/client"
import { useMemo, useState } from "react"
import { tapedeck } from "../api/client.ts"
import { FilterSelect } from "../ui/Field.tsx"
import { milliseconds } from "../ui/format.ts"
import { Scrollable } from "../ui/Scrollable.tsx"
import { Loaded } from "../ui/states.tsx"
import { useMinute, When } from "../ui/time.tsx"
import { Chart } from "./Chart.tsx"
import { type DeliveriesSearch, useReceiverName } from "./queries.ts"

const hourMs = 3_600_000
const dayMs = 24 * hourMs

const periods = {
  day: { name: "Last 24 hours", lengthMs: dayMs, interval: "hour" },
  week: { name: "Last 7 days", lengthMs: 7 * dayMs, interval: "hour" },
  month: { name: "Last 30 days", lengthMs: 30 * dayMs, interval: "day" },
  quarter: { name: "Last 90 days", lengthMs: 89 * dayMs, interval: "day" }
} as const

type Period = keyof typeof periods
type Statistics = Settings.Statistics
type Counted = Statistics["intervals"][number] | Statistics["receivers"][number]

const useStatistics = (period: Period, { automation, destination }: DeliveriesSearch) => {
  const { interval, lengthMs } = periods[period]
  const until = Math.floor(useMinute() / hourMs) * hourMs + hourMs
  const query = {
    interval,
    since: new Date(until - lengthMs).toISOString(),
    ...(automation !== undefined && { automation_id: automation }),
    ...(destination !== undefined && { audit_destination_id: destination })
  }
  return useQuery({
    queryKey: ["deliveries", "count", "statistics", query],
    queryFn: () => tapedeck.settings.deliveries.statistics(query),
    placeholderData: keepPreviousData
  })
}

/** Attempts over time by outcome, and their durations, of the receiver of the filters, or of all. */
export const Charts = ({ search }: { readonly search: DeliveriesSearch }) => {
  const [period, setPeriod] = useState<Period>("day")
  const statistics = useStatistics(period, search)
  const isOfOne = search.automation !== undefined || search.destination !== undefined
  return (
    <section aria-label="Charts" className="space-y-3 rounded-lg border border-line bg-surface p-3">
      <FilterSelect label="Period" value={period} onChange={({ target }) => setPeriod(target.value as Period)}>
        {Object.entries(periods).map(([key, { name }]) => (
          <option key={key} value={key}>
            {name}
          </option>
        ))}
      </FilterSelect>
      <Loaded query={statistics}>
        {(found) => (
          <>
            <Pictures statistics={found} />
            <Tables statistics={found} withReceivers={!isOfOne} />
          </>
        )}
      </Loaded>
    </section>
  )
}

const wholeNumber = (value: number): string => (Number.isInteger(value) ? String(value) : "")

const Pictures = ({ statistics }: { readonly statistics: Statistics }) => {
  const { intervals } = statistics
  // A chart is drawn again for new values only.
  const times = useMemo(() => intervals.map(({ at }) => Date.parse(at) / 1000), [intervals])
  const outcomes = useMemo(
    () =>
      [
        { label: "Delivered", colour: "good", values: intervals.map(({ delivered }) => delivered) },
        { label: "Failed, to be retried", colour: "warn", values: intervals.map(({ retried }) => retried) },
        {
          label: "Permanently failed",
          colour: "bad",
          values: intervals.map(({ permanently_failed: failed }) => failed)
        },
        { label: "Cancelled", colour: "edge", values: intervals.map(({ cancelled }) => cancelled) }
      ] as const,
    [intervals]
  )
  const durations = useMemo(
    () =>
      [
        { label: "Median (p50)", colour: "info", values: intervals.map(({ duration_p50_ms: p50 }) => p50) },
        { label: "95th percentile (p95)", colour: "accent", values: intervals.map(({ duration_p95_ms: p95 }) => p95) }
      ] as const,
    [intervals]
  )
  const total = (values: ReadonlyArray<number>) => values.reduce((sum, value) => sum + value, 0)
  return (
    <div className="grid gap-4 lg:grid-cols-2">
      <div className="min-w-0">
        <h2 className="mb-1 font-semibold">Attempts by outcome</h2>
        <Chart
          look="bars"
          label={`Attempts by outcome: ${outcomes.map(({ label, values }) => `${label} ${total(values)}`).join(", ")}`}
          times={times}
          series={outcomes}
          format={wholeNumber}
        />
      </div>
      <div className="min-w-0">
        <h2 className="mb-1 font-semibold">Duration of attempts</h2>
        <Chart
          look="lines"
          label="Duration of attempts: median and 95th percentile; the table has the figures"
          times={times}
          series={durations}
          format={milliseconds}
        />
      </div>
    </div>
  )
}

const attemptsOf = ({ cancelled, delivered, permanently_failed: failed, retried }: Counted): number =>
  cancelled + delivered + failed + retried

const duration = (ms: number | null): string => (ms === null ? "–" : milliseconds(ms))

const headings = ["Delivered", "To be retried", "Permanently failed", "Cancelled", "p50", "p95"]

const Figures = ({ of }: { readonly of: Counted }) => (
  <>
    {[
      ["delivered", of.delivered],
      ["retried", of.retried],
      ["failed", of.permanently_failed],
      ["cancelled", of.cancelled],
      ["p50", duration(of.duration_p50_ms)],
      ["p95", duration(of.duration_p95_ms)]
    ].map(([key, value]) => (
      <td key={key} className="py-1 pr-3 text-right tabular">
        {value}
      </td>
    ))}
  </>
)

const Head = ({ first }: { readonly first: string }) => (
  <thead className="text-xs text-soft">
    <tr>
      <th scope="col" className="py-1 pr-3 text-left font-medium">
        {first}
      </th>
      {headings.map((heading) => (
        <th key={heading} scope="col" className="py-1 pr-3 text-right font-medium">
          {heading}
        </th>
      ))}
    </tr>
  </thead>
)

/** The data of the charts as tables. */
const Tables = ({
  statistics,
  withReceivers
}: {
  readonly statistics: Statistics
  readonly withReceivers: boolean
}) => {
  const receiverName = useReceiverName()
  const intervals = statistics.intervals.filter((one) => attemptsOf(one) > 0)
  if (intervals.length === 0) return <p className="text-soft">No attempts were made in this period.</p>
  return (
    <>
      {withReceivers && (
        <Scrollable label="Attempts by receiver" className="max-h-64 overflow-auto">
          <table className="w-full text-sm">
            <caption className="sr-only">Attempts by receiver</caption>
            <Head first="Receiver" />
            <tbody>
              {statistics.receivers.map((one) => (
                <tr key={`${one.automation_id} ${one.audit_destination_id}`} className="border-t border-line">
                  <th scope="row" className="py-1 pr-3 text-left font-normal" dir="auto">
                    {receiverName(one)}
                  </th>
                  <Figures of={one} />
                </tr>
              ))}
            </tbody>
          </table>
        </Scrollable>
      )}
      <details>
        <summary className="text-xs text-soft hover:underline">Show the charts as a table</summary>
        <Scrollable label="Attempts by interval" className="max-h-64 overflow-auto">
          <table className="w-full text-sm">
            <caption className="sr-only">Attempts by interval</caption>
            <Head first="From" />
            <tbody>
              {intervals.map((one) => (
                <tr key={one.at} className="border-t border-line">
                  <th scope="row" className="py-1 pr-3 text-left font-normal">
                    <When at={one.at} />
                  </th>
                  <Figures of={one} />
                </tr>
              ))}
            </tbody>
          </table>
        </Scrollable>
      </details>
    </>
  )
}
