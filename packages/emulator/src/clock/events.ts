import type { AttemptOutcome, Delivery, Instant, TranscriptStatus } from "@tapedeck/domain"
import type { World } from "../world/World.ts"
import { type DueEvent, eventOf } from "./dueEvents.ts"

/** An event that will fire or has fired, in the shape of the control plane. */
export type WorldEvent =
  | {
      readonly at: Instant
      readonly kind: "attempt"
      readonly id: string
      readonly attempt: number
      readonly elapsedMs: number
      /** Absent while it is pending; null if it had not ended when the move stopped. */
      readonly result?: { readonly outcome: AttemptOutcome | null; readonly statusCode: number | null }
    }
  | {
      readonly at: Instant
      readonly kind: "attempt_end"
      readonly id: string
      readonly attempt: number
      readonly elapsedMs: number
    }
  | { readonly at: Instant; readonly kind: "transcript"; readonly id: string; readonly status: TranscriptStatus }
  | { readonly at: Instant; readonly kind: "redelivery"; readonly id: string }
  | { readonly at: Instant; readonly kind: "capture"; readonly id: string }

export const pendingEvent = (world: World, due: DueEvent): WorldEvent => {
  if (due.kind === "job") {
    const { at, job } = due
    if (job.kind === "redelivery") return { at, kind: job.kind, id: job.redeliveryId }
    return {
      at,
      id: job.recordingUuid,
      ...(job.kind === "capture" ? { kind: job.kind } : { kind: job.kind, status: job.status })
    }
  }
  const { attempt, firstAttemptAt } = attemptOf(world, due)
  return { at: due.at, kind: due.kind, id: due.deliveryId, attempt, elapsedMs: due.at - (firstAttemptAt ?? due.at) }
}

/** Returns the number of pending events. */
export const countPending = (world: World): number => {
  let count = 0
  const state = world.memory.state()
  for (const due of state.agenda.values()) if (eventOf(state, due) !== undefined) count += 1
  return count
}

/** All pending events in the order in which they will fire. */
export const pendingEvents = (world: World): ReadonlyArray<WorldEvent> => {
  const events: Array<WorldEvent> = []
  const state = world.memory.state()
  for (const due of state.agenda.values()) {
    const event = eventOf(state, due)
    if (event !== undefined) events.push(pendingEvent(world, event))
  }
  return events
}

const attemptOf = (world: World, { deliveryId }: { readonly deliveryId: string }) => {
  const state = world.memory.state()
  const row = state.deliveries.get(state.deliveriesById.get(deliveryId)!)!
  return numbering(row.delivery.state)
}

const numbering = (state: Delivery["state"]): { readonly attempt: number; readonly firstAttemptAt: Instant | null } => {
  switch (state._tag) {
    case "Waiting":
      return { attempt: state.retry + 1, firstAttemptAt: state.firstAttemptAt }
    case "Attempting":
      return { attempt: state.attempt, firstAttemptAt: state.firstAttemptAt }
    default:
      return { attempt: 1, firstAttemptAt: null }
  }
}
