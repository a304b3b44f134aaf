import { Schema } from "effect"
import { count, dateTime, nullableCount, nullableDateTime } from "../../wire/fields.ts"
import { exampleId, listOf } from "../fields.ts"

export const ReceiverHealth = Schema.Struct({
  last_success_at: nullableDateTime("When an attempt last succeeded; null if none has."),
  failing_since: nullableDateTime("When the first attempt after the last success failed; null if none has."),
  failed_in_a_row: count("How many attempts have failed since the last success.", 0)
}).annotate({
  identifier: "ReceiverHealth",
  description: "How the latest attempts ended, send-tests not counted. Kept for 90 days after the last attempt.",
  examples: [{ last_success_at: "2026-01-01T09:00:00.000Z", failing_since: null, failed_in_a_row: 0 }]
})
export type ReceiverHealth = typeof ReceiverHealth.Type

const attempts = {
  delivered: count("Attempts that delivered.", 118),
  retried: count("Failed attempts that a retry follows.", 4),
  permanently_failed: count("Failed attempts that were the last of their deliveries.", 1),
  cancelled: count("Failed attempts of deliveries that were called off meanwhile.", 0),
  duration_p50_ms: nullableCount(
    "Median of the attempts' durations in milliseconds, estimated from a histogram; null without attempts.",
    184
  ),
  duration_p95_ms: nullableCount("The 95th percentile, likewise.", 920)
}

const IntervalStatistics = Schema.Struct({ at: dateTime("When the interval begins."), ...attempts }).annotate({
  identifier: "IntervalStatistics",
  description: "The attempts that ended in an interval."
})

const ReceiverStatistics = Schema.Struct({
  automation_id: Schema.NullOr(Schema.String).annotate({
    description: "The automation, which may be deleted; null for an audit destination.",
    examples: [exampleId]
  }),
  audit_destination_id: Schema.NullOr(Schema.String).annotate({
    description: "The audit destination, which may be deleted; null for an automation.",
    examples: [null]
  }),
  ...attempts
}).annotate({ identifier: "ReceiverStatistics", description: "The attempts of a receiver in the period." })

export const Statistics = Schema.Struct({
  since: dateTime("When the first interval begins."),
  until: dateTime("When the last interval ends."),
  intervals: listOf(IntervalStatistics, "Each interval of the period, in order."),
  receivers: listOf(ReceiverStatistics, "The 100 receivers with the most attempts, these first.")
}).annotate({ identifier: "Statistics", description: "Attempts by result and duration." })
export type Statistics = typeof Statistics.Type
