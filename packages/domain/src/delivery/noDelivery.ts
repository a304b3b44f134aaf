import * as Schema from "effect/Schema"

/**
 * Reason why an event has no delivery to a receiver. `has_deliveries`: it has one. `not_in_folder`: the recording never entered the
 * folder of the automation. `was_there_already`: the recording entered the folder, or the entry was written, before the automation or
 * destination was created. `was_turned_off`, `was_of_another_folder`, `filtered_out`: the settings of the receiver at that time.
 * `not_kept`: the event caused a delivery that is no longer stored. `not_known`: the audit log does not show the reason.
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
