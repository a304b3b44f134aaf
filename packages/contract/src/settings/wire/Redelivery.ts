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
  dry_run: Schema.Literal(true).annotate({ description: "True: nothing was sent.", examples: [true] }),
  count: count("Number of deliveries that match the filters, up to 10,000.", 251),
  count_is_exact: flag("Whether `count` is the exact number. If false, more deliveries match."),
  examined: count(
    "Number of the newest matching deliveries that were examined for `skipped`: at most `limit`, and at most 1,000.",
    251
  ),
  skipped: Schema.Struct({
    send_tests: count("Number of send-tests.", 1),
    receivers: count("Number of deliveries to receivers that are disabled or deleted.", 2),
    payloads: count("Number of deliveries whose payload was too large to be sent.", 0),
    unsent: count(
      "Number of deliveries that were skipped or had an invalid URL. One is delivered if its reason is gone.",
      0
    )
  }).annotate({
    identifier: "RedeliverySkipped",
    description: "Number of examined deliveries that a redelivery would skip, by reason."
  })
}).annotate({ identifier: "RedeliveryEstimate", description: "Estimate of a redelivery, from a dry run." })
export type RedeliveryEstimate = typeof RedeliveryEstimate.Type

const StopReason = Schema.Literals(["requested", "not_permitted"]).annotate({
  identifier: "RedeliveryStopReason",
  description:
    "Reason why the redelivery was stopped: by a request, or because the user who started it is no longer an admin.",
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
    description:
      "State of the redelivery: `running`, `finished` (all matching deliveries were sent again), or `stopped`.",
    examples: ["running"]
  }),
  filters: Schema.Struct(filters).annotate({ description: "Filters of the deliveries to send again." }),
  limit: integerAs(input.redeliveryLimit),
  rate: integerAs(input.redeliveryRate),
  count: count("Number of deliveries that matched the filters at the start, up to 10,000.", 251),
  count_is_exact: flag("Whether `count` is the exact number. If false, more deliveries matched."),
  redelivered: count("Number of deliveries that were sent again so far.", 120),
  skipped: count(
    "Number of skipped deliveries: send-tests, deliveries to disabled or deleted receivers, and payloads that were too large to be sent.",
    1
  ),
  started_by: Schema.Int.annotate({
    description: "Id of the admin who started the redelivery, which stops when that user is no longer an admin.",
    examples: [1]
  }),
  created_at: dateTime("Time at which the redelivery was started."),
  ended_at: nullableDateTime(
    "Time at which the redelivery finished or was stopped; null while it is running.",
    "2026-01-01T09:01:00.000Z"
  ),
  stopped_because: Schema.NullOr(StopReason).annotate({
    description: "Reason of the stop; null unless the state is `stopped`."
  })
}).annotate({
  identifier: "Redelivery",
  description: "Job that sends deliveries again, newest first.",
  examples: [example]
})
export type Redelivery = typeof Redelivery.Type

export const RedeliveryList = Schema.Struct({
  redeliveries: listOf(Redelivery, "The newest 100 redeliveries, newest first.")
}).annotate({ identifier: "RedeliveryList", description: "Redeliveries of the account." })
