import { Schema } from "effect"
import { count, dateTime, nullableCount, nullableDateTime } from "../../wire/fields.ts"
import { exampleId, listOf } from "../fields.ts"

export const ReceiverHealth = Schema.Struct({
  last_success_at: nullableDateTime("Time of the last successful attempt; null if none has succeeded."),
  failing_since: nullableDateTime("Time of the first failure after the last success; null if there is none."),
  failed_in_a_row: count("Number of failed attempts since the last success.", 0)
}).annotate({
  identifier: "ReceiverHealth",
  description:
    "Results of the latest attempts of a receiver, without send-tests. Stored for 90 days after the last attempt.",
  examples: [{ last_success_at: "2026-01-01T09:00:00.000Z", failing_since: null, failed_in_a_row: 0 }]
})
export type ReceiverHealth = typeof ReceiverHealth.Type

const attempts = {
  delivered: count("Number of successful attempts.", 118),
  retried: count("Number of failed attempts that are followed by a retry.", 4),
  permanently_failed: count("Number of failed attempts after which the delivery failed permanently.", 1),
  cancelled: count("Number of failed attempts whose delivery was cancelled during the attempt.", 0),
  duration_p50_ms: nullableCount(
    "Median duration of the attempts in milliseconds, estimated from a histogram; null without attempts.",
    184
  ),
  duration_p95_ms: nullableCount(
    "95th percentile of the attempts' durations in milliseconds, estimated from a histogram; null without attempts.",
    920
  )
}

const IntervalStatistics = Schema.Struct({ at: dateTime("Start of the interval."), ...attempts }).annotate({
  identifier: "IntervalStatistics",
  description: "Attempts that ended in an interval."
})

const ReceiverStatistics = Schema.Struct({
  automation_id: Schema.NullOr(Schema.String).annotate({
    description: "Id of the automation, which may be deleted; null for an audit destination.",
    examples: [exampleId]
  }),
  audit_destination_id: Schema.NullOr(Schema.String).annotate({
    description: "Id of the audit destination, which may be deleted; null for an automation.",
    examples: [null]
  }),
  ...attempts
}).annotate({ identifier: "ReceiverStatistics", description: "Attempts of a receiver in the period." })

export const Statistics = Schema.Struct({
  since: dateTime("Start of the first interval."),
  until: dateTime("End of the last interval."),
  intervals: listOf(IntervalStatistics, "Intervals of the period, in order."),
  receivers: listOf(ReceiverStatistics, "The 100 receivers with the most attempts, in descending order of attempts.")
}).annotate({ identifier: "Statistics", description: "Attempts by result and duration." })
export type Statistics = typeof Statistics.Type
