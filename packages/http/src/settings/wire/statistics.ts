import type { settings } from "@tapedeck/contract"
import type { PeriodStatistics } from "@tapedeck/core"
import { toIso } from "@tapedeck/domain"
import type { AttemptStatistics, CountedReceiver } from "@tapedeck/domain/internal/delivery"

const wireAttempts = ({ counts, p50Ms, p95Ms }: AttemptStatistics) => ({
  ...counts,
  duration_p50_ms: p50Ms,
  duration_p95_ms: p95Ms
})

const idOf = (receiver: CountedReceiver, kind: "a:" | "d:"): string | null =>
  receiver.startsWith(kind) ? receiver.slice(kind.length) : null

export const wireStatistics = ({ intervals, receivers, since, until }: PeriodStatistics): settings.Statistics => ({
  since: toIso(since),
  until: toIso(until),
  intervals: intervals.map(({ at, ...attempts }) => ({ at: toIso(at), ...wireAttempts(attempts) })),
  receivers: receivers.map(({ receiver, ...attempts }) => ({
    automation_id: idOf(receiver, "a:"),
    audit_destination_id: idOf(receiver, "d:"),
    ...wireAttempts(attempts)
  }))
})
