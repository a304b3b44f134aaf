import type { Attempt, Delivery } from "@tapedeck/domain"
import { nextAttemptAt } from "@tapedeck/domain/delivery"
import { deliveryKind, headerMap } from "@tapedeck/domain/internal/delivery"
import { comingEvents, type WorldEvent } from "../clock/events.ts"
import { toIso } from "../clock/iso.ts"
import type { Move } from "../clock/move.ts"
import { endedAttempt, referencesOf } from "../journal/attempts.ts"
import { notesOf } from "../sinks/helpdesks/index.ts"
import { type Sink, sinkUrl } from "../sinks/Sinks.ts"
import type { World } from "../world/World.ts"
import type { AttemptView, ClockView, DeliveryView, EventView, MoveView } from "./schemas.ts"

const eventView = (event: WorldEvent): EventView => {
  const { id, kind } = event
  const at = toIso(event.at)
  switch (event.kind) {
    case "transcript":
      return { at, kind, id, status: event.status }
    case "capture":
    case "redelivery":
    case "retention":
    case "seal":
    case "sweep":
      return { at, kind, id }
    case "mail":
      return { at, kind, id, attempt: event.attempt }
  }
  const numbered = { at, kind, id, attempt: event.attempt, elapsed_ms: event.elapsedMs }
  if (event.kind === "attempt_end" || event.result === undefined) return numbered
  return { ...numbered, outcome: event.result.outcome, status_code: event.result.statusCode }
}

export const clockView = (world: World): ClockView => {
  const { pending, repeating } = comingEvents(world)
  return {
    now: toIso(world.now()),
    started_at: toIso(world.settings.startedAt),
    mode: world.clock.rate === null ? "stopped" : "running",
    rate: world.clock.rate ?? 1,
    in_flight: world.inFlight,
    pending: pending.map(eventView),
    ...(repeating.length > 0 && { repeating: repeating.map(eventView) })
  }
}

export const moveView = (world: World, move: Move): MoveView => {
  const { pending, repeating } = comingEvents(world)
  return {
    now: toIso(world.now()),
    fired: move.fired.map(eventView),
    pending_count: pending.length,
    ...(repeating.length > 0 && { repeating: repeating.length }),
    next: pending[0] === undefined ? null : eventView(pending[0]),
    reached: move.reached,
    stopped_by: move.stoppedBy
  }
}

const attemptView = (delivery: Delivery, attempt: Attempt): AttemptView => ({
  attempt: attempt.attempt,
  at: toIso(attempt.at),
  ...endedAttempt(delivery, attempt)
})

const stateNames = {
  Scheduled: "scheduled",
  Attempting: "attempting",
  Waiting: "waiting",
  Delivered: "delivered",
  PermanentlyFailed: "permanently_failed",
  Cancelled: "cancelled",
  Skipped: "skipped"
} as const

export const deliveryView = (delivery: Delivery): DeliveryView => {
  const at = nextAttemptAt(delivery.state)
  return {
    id: delivery.id,
    kind: deliveryKind(delivery),
    state: stateNames[delivery.state._tag],
    ...(delivery.state._tag === "Waiting" && { retry: delivery.state.retry }),
    ...(delivery.skipped !== undefined && { reason: delivery.skipped.reason }),
    ...referencesOf(delivery),
    next_attempt_at: at === null ? null : toIso(at),
    attempts: delivery.attempts.map((attempt) => attemptView(delivery, attempt))
  }
}

export const sinkView = ({ id, kind, respond }: Sink) => ({
  id,
  url: sinkUrl(id),
  ...(kind !== undefined && { kind }),
  respond
})

export const sinkLogView = (sink: Sink) => ({
  ...sinkView(sink),
  ...(sink.kind !== undefined && { notes: notesOf(sink.kind, sink.requests.toArray()) }),
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
