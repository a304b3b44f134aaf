import type { AttemptOutcome, Delivery, Instant, TranscriptStatus } from "@tapedeck/domain"
import { mailSubjectOf } from "@tapedeck/domain/internal/jobs"
import type { World } from "../world/World.ts"
import { type DueEvent, eventsOf, isRepeating, isUpkeep, type WorldJob } from "./dueEvents.ts"

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
  | {
      readonly at: Instant
      readonly kind: "redelivery" | "capture" | "retention" | "seal" | "sweep"
      readonly id: string
    }
  | { readonly at: Instant; readonly kind: "mail"; readonly id: string; readonly attempt: number }

/** The event of a job. */
const jobEvent = (at: Instant, job: WorldJob): WorldEvent => {
  switch (job.kind) {
    case "redelivery":
      return { at, kind: job.kind, id: job.redeliveryId }
    case "capture":
      return { at, kind: job.kind, id: job.recordingUuid }
    case "transcript":
      return { at, kind: job.kind, id: job.recordingUuid, status: job.status }
    case "mail":
      return { at, kind: job.kind, id: mailSubjectOf(job), attempt: job.failedTries + 1 }
    case "sweep":
      return { at, kind: job.kind, id: job.id }
  }
}

export const pendingEvent = (world: World, due: DueEvent): WorldEvent => {
  if (due.kind === "job") return jobEvent(due.at, due.job)
  if (isUpkeep(due)) return { at: due.at, kind: due.kind, id: due.kind }
  const { attempt, firstAttemptAt } = attemptOf(world, due)
  return { at: due.at, kind: due.kind, id: due.deliveryId, attempt, elapsedMs: due.at - (firstAttemptAt ?? due.at) }
}

/** Returns the number of pending events. */
export const countPending = (world: World): number => {
  let count = 0
  for (const event of eventsOf(world)) if (!isRepeating(event)) count += 1
  return count
}

/** The events that will fire, in their order. Those that repeat for ever are not pending. */
export const comingEvents = (world: World) => {
  const pending: Array<WorldEvent> = []
  const repeating: Array<WorldEvent> = []
  for (const event of eventsOf(world)) {
    const events = isRepeating(event) ? repeating : pending
    events.push(pendingEvent(world, event))
  }
  return { pending, repeating }
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
