import * as Schema from "effect/Schema"

/**
 * Why there is no delivery of an event to a receiver, as far as it can be known. `has_deliveries`: there is one. `not_in_folder`: the
 * recording is not where the automation fires. `was_there_already`: it was in the folder, or the entry was made, before there was the automation or
 * destination. `was_turned_off`, `was_of_another_folder`, `filtered_out`: the receiver's settings of that moment.
 * `not_kept`: the event should have made one, which is not kept any more. `not_known`: what would tell is not in the
 * audit log.
 */
export const NoDeliveryReason = Schema.Literals([
  "has_deliveries",
  "not_in_folder",
  "was_there_already",
  "was_turned_off",
  "was_of_another_folder",
  "filtered_out",
  "not_kept",
  "not_known"
])
export type NoDeliveryReason = typeof NoDeliveryReason.Type

/** The cause of a cancellation. `not_known`: the audit log has no entry about it. */
export const CancellationCause = Schema.Literals([
  "turned_off",
  "deleted",
  "delivered_again",
  "called_off",
  "not_known"
])
export type CancellationCause = typeof CancellationCause.Type
