import { type Attempt, type Delivery, type HeaderList, nextAttemptAt } from "@tapedeck/domain"
import { pendingEvents, type WorldEvent } from "../clock/events.ts"
import type { Move } from "../clock/move.ts"
import { toIso } from "../iso.ts"
import type { JournalNote } from "../journal/Journal.ts"
import { type Sink, sinkUrl } from "../sinks/Sinks.ts"
import type { World } from "../World.ts"
import type { AttemptView, ClockView, DeliveryView, EventView, MoveView } from "./schemas.ts"

const eventView = (event: WorldEvent): EventView => {
  const { at, id, kind } = event
  if (event.kind === "transcript") return { at: toIso(at), kind, id, status: event.status }
  const numbered = { at: toIso(at), kind, id, attempt: event.attempt, elapsed_ms: event.elapsedMs }
  if (event.kind === "attempt_end" || event.result === undefined) return numbered
  return { ...numbered, outcome: event.result.outcome, status_code: event.result.statusCode }
}

export const clockView = (world: World): ClockView => ({
  now: toIso(world.now()),
  started_at: toIso(world.settings.startedAt),
  mode: world.clock.rate === null ? "stopped" : "running",
  rate: world.clock.rate ?? 1,
  in_flight: world.inFlight,
  pending: pendingEvents(world).map(eventView)
})

export const moveView = (world: World, move: Move): MoveView => {
  const pending = pendingEvents(world)
  return {
    now: toIso(world.now()),
    fired: move.fired.map(eventView),
    pending_count: pending.length,
    next: pending[0] === undefined ? null : eventView(pending[0]),
    reached: move.reached,
    stopped_by: move.stoppedBy
  }
}

const headerMap = (headers: HeaderList): Record<string, string> => {
  const map: Record<string, string> = {}
  for (const [name, value] of headers) map[name] = map[name] === undefined ? value : `${map[name]}, ${value}`
  return map
}

const attemptView = (attempt: Attempt): AttemptView => ({
  attempt: attempt.attempt,
  at: toIso(attempt.at),
  ...endedAttempt(attempt)
})

const endedAttempt = (attempt: Attempt): Omit<AttemptView, "attempt" | "at"> => ({
  elapsed_ms: attempt.elapsedMs,
  duration_ms: attempt.endedAt - attempt.at,
  outcome: attempt.outcome,
  status_code: attempt.statusCode,
  request: { ...attempt.request, headers: headerMap(attempt.request.headers) },
  response: attempt.response === null ? null : { ...attempt.response, headers: headerMap(attempt.response.headers) },
  error: attempt.error
})

const stateNames = {
  Scheduled: "scheduled",
  Attempting: "attempting",
  Waiting: "waiting",
  Delivered: "delivered",
  PermanentlyFailed: "permanently_failed",
  Cancelled: "cancelled"
} as const

/** What a delivery is about, as far as it is. */
const referencesOf = ({ automationId, destinationId, recordingUuid }: Delivery) => ({
  ...(automationId !== null && { automation: automationId }),
  ...(destinationId !== null && { destination: destinationId }),
  ...(recordingUuid !== null && { recording: recordingUuid })
})

export const deliveryView = (delivery: Delivery): DeliveryView => {
  const at = nextAttemptAt(delivery.state)
  return {
    id: delivery.id,
    kind: delivery.kind,
    state: stateNames[delivery.state._tag],
    ...(delivery.state._tag === "Waiting" && { retry: delivery.state.retry }),
    ...referencesOf(delivery),
    next_attempt_at: at === null ? null : toIso(at),
    attempts: delivery.attempts.map(attemptView)
  }
}

export const sinkView = ({ id, respond }: Sink) => ({ id, url: sinkUrl(id), respond })

export const sinkLogView = (sink: Sink) => ({
  ...sinkView(sink),
  requests: sink.requests.toArray().map(({ at, body, headers, method, outcome, path }) => ({
    at: toIso(at),
    method,
    path,
    headers: headerMap(headers),
    body,
    body_base64: Buffer.from(body).toString("base64"),
    outcome
  }))
})

/** The journal's entry of an attempt that has ended. */
export const attemptNote = (delivery: Delivery, attempt: Attempt): JournalNote => ({
  kind: "attempt",
  id: delivery.id,
  ...referencesOf(delivery),
  attempt: attempt.attempt,
  ...endedAttempt(attempt)
})
