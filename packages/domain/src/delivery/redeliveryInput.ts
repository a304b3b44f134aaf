import { flag, instant, integer, object, oneOf, optional, textId, uuid } from "../input/fields.ts"
import { DeliveryStateName } from "./stateSchema.ts"

/** Maximum number of deliveries of a redelivery, and maximum rate per second. */
export const MAX_REDELIVERIES = 10_000
export const MAX_REDELIVERY_RATE = 100

export const redeliveryDefaults = { limit: 1_000, rate: 10 }

const exampleId = "7d0f3c1e-5b0a-4c57-9d3e-2f1f6a8b9c10"

const upTo = (maximum: number, description: string) =>
  integer(`must be an integer from 1 to ${maximum}`, { minimum: 1, maximum }, description)

export const redeliveryFilters = {
  state: oneOf(DeliveryStateName.literals, "Only deliveries in this state.").annotate({
    examples: ["permanently_failed"]
  }),
  automation_id: textId("Only deliveries of this automation.").annotate({ examples: [exampleId] }),
  audit_destination_id: textId("Only deliveries to this audit destination.").annotate({ examples: [exampleId] }),
  recording_uuid: uuid("Only deliveries of the recording with this UUID.").annotate({ examples: [exampleId] }),
  event: textId("Only deliveries of this event.").annotate({ examples: ["recording.added_to_folder"] }),
  status_code: integer(
    "must be an HTTP status from 100 to 599",
    { minimum: 100, maximum: 599 },
    "Only deliveries with an attempt whose response had this status."
  ).annotate({ examples: [503] }),
  since: instant("Only deliveries that were created at or after this instant.").annotate({
    examples: ["2026-01-01T09:00:00.000Z"]
  }),
  until: instant("Only deliveries that were created before this instant.").annotate({
    examples: ["2026-01-02T09:00:00.000Z"]
  })
}

export const redeliveryLimit = upTo(
  MAX_REDELIVERIES,
  `Maximum number of deliveries, the newest first. Default: ${redeliveryDefaults.limit}.`
).annotate({ examples: [1_000] })

export const redeliveryRate = upTo(
  MAX_REDELIVERY_RATE,
  `Maximum number of deliveries per second. Default: ${redeliveryDefaults.rate}.`
).annotate({ examples: [10] })

export const RedeliveryInput = object(
  optional({
    ...redeliveryFilters,
    limit: redeliveryLimit,
    rate: redeliveryRate,
    dry_run: flag("Whether to count the deliveries without sending them. Default: false.").annotate({
      examples: [false]
    })
  }),
  "Filters of the deliveries to send again. A delivery must match all of them, as in the list of deliveries."
)
export type RedeliveryInput = typeof RedeliveryInput.Type
