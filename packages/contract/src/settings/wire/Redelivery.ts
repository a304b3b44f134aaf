import { DeliveryStateName } from "@tapedeck/domain"
import * as input from "@tapedeck/domain/input"
import { Schema } from "effect"
import { count, dateTime, nullableDateTime } from "../../wire/fields.ts"
import { exampleId, flag, id, integerAs, listOf, optional, textAs, textsFrom } from "../fields.ts"

const { redeliveryFilters: inputs } = input

const filters = optional({
  state: DeliveryStateName.annotate(textsFrom(inputs.state)),
  automation_id: textAs(inputs.automation_id),
  audit_destination_id: textAs(inputs.audit_destination_id),
  recording_uuid: Schema.String.annotate({ ...textsFrom(inputs.recording_uuid), format: "uuid" }),
  event: textAs(inputs.event),
  status_code: integerAs(inputs.status_code),
  since: Schema.String.annotate({ ...textsFrom(inputs.since), format: "date-time" }),
  until: Schema.String.annotate({ ...textsFrom(inputs.until), format: "date-time" })
})

export const RedeliveryInput = input.RedeliveryInput.annotate({
  identifier: "RedeliveryInput",
  examples: [{ state: "permanently_failed", dry_run: true }]
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
  limit: integerAs(input.redeliveryLimit),
  rate: integerAs(input.redeliveryRate),
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
