import { DeliveryStateName } from "@tapedeck/domain"
import { Schema } from "effect"
import { count, dateTime, nullableDateTime, text } from "../../wire/fields.ts"
import { exampleId, flag, id, listOf, optional } from "../fields.ts"

const filters = optional({
  state: DeliveryStateName.annotate({
    description: "Only deliveries in this state.",
    examples: ["permanently_failed"]
  }),
  automation_id: text("Only deliveries of this automation.", exampleId),
  audit_destination_id: text("Only deliveries to this audit destination.", exampleId),
  recording_uuid: Schema.String.annotate({
    description: "Only deliveries of the recording with this UUID.",
    format: "uuid",
    examples: [exampleId]
  }),
  event: text("Only deliveries of this event.", "recording.added_to_folder"),
  status_code: Schema.Int.annotate({
    description: "Only deliveries with an attempt that was answered with this status.",
    examples: [503]
  }),
  since: dateTime("Made from this instant on."),
  until: dateTime("Made before this instant.")
})

const limit = (description: string) => Schema.Int.annotate({ description, examples: [1_000] })
const rate = (description: string) => Schema.Int.annotate({ description, examples: [10] })

export const RedeliveryInput = Schema.Struct({
  ...filters,
  ...optional({
    limit: limit("Maximum number of deliveries, the newest first: 1 to 10,000. Default: 1,000."),
    rate: rate("Deliveries a second: 1 to 100. Default: 10."),
    dry_run: flag("Whether to count only. Default: false.")
  })
}).annotate({
  identifier: "RedeliveryInput",
  description: "Which deliveries to deliver again: all that is given must hold, as in the list of deliveries."
})

export const RedeliveryEstimate = Schema.Struct({
  dry_run: Schema.Literal(true).annotate({ description: "Nothing is delivered again.", examples: [true] }),
  count: count("How many deliveries the filters find, counted to 10,000 at most.", 251),
  count_is_exact: flag("Whether there are no more than `count`."),
  examined: count("How many of the newest were examined for `skipped`: up to `limit`, and 1,000 at most.", 251),
  skipped: Schema.Struct({
    send_tests: count("Send-tests.", 1),
    receivers: count("Deliveries to receivers that are off or deleted.", 2),
    payloads: count("Payloads that were too large to be sent.", 0)
  }).annotate({
    identifier: "RedeliverySkipped",
    description: "How many of the examined ones a redelivery would pass over, by the reason."
  })
}).annotate({ identifier: "RedeliveryEstimate", description: "What a redelivery would find." })
export type RedeliveryEstimate = typeof RedeliveryEstimate.Type

const StopReason = Schema.Literals(["requested", "not_permitted"]).annotate({
  identifier: "RedeliveryStopReason",
  description: "Why it was stopped: by request, or because the user who started it is no admin any more.",
  examples: ["requested"]
})

const example = {
  id: exampleId,
  state: "running" as const,
  filters: { state: "permanently_failed" as const, automation_id: exampleId },
  limit: 1_000,
  rate: 10,
  count: 251,
  count_is_exact: true,
  redelivered: 120,
  skipped: 1,
  started_by: 1,
  created_at: "2026-01-01T09:00:00.000Z",
  ended_at: null,
  stopped_because: null
}

export const Redelivery = Schema.Struct({
  id: id("redelivery"),
  state: Schema.Literals(["running", "finished", "stopped"]).annotate({
    description: "Whether it runs, has delivered again all that it found, or was stopped.",
    examples: ["running"]
  }),
  filters: Schema.Struct(filters).annotate({ description: "Which deliveries it delivers again." }),
  limit: limit("Maximum number of deliveries."),
  rate: rate("Deliveries a second."),
  count: count("How many the filters found at the start, counted to 10,000 at most.", 251),
  count_is_exact: flag("Whether there were no more than `count`."),
  redelivered: count("How many it has delivered again so far.", 120),
  skipped: count(
    "How many it passed over: send-tests, receivers that are off or deleted, payloads that were too large to be sent.",
    1
  ),
  started_by: Schema.Int.annotate({
    description: "Id of the admin who started it. It stops when that user is no admin any more.",
    examples: [1]
  }),
  created_at: dateTime("When it was started."),
  ended_at: nullableDateTime("When it finished or was stopped; null while it runs.", "2026-01-01T09:01:00.000Z"),
  stopped_because: Schema.NullOr(StopReason).annotate({ description: "Null unless it is `stopped`." })
}).annotate({
  identifier: "Redelivery",
  description: "A job that delivers again what its filters find, the newest first.",
  examples: [example]
})
export type Redelivery = typeof Redelivery.Type

export const RedeliveryList = Schema.Struct({
  redeliveries: listOf(Redelivery, "The newest 100, newest first.")
}).annotate({ identifier: "RedeliveryList", description: "The redeliveries of the account." })
