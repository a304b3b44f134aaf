import { durationMs } from "@tapedeck/core/input"
import { Instant, parseIso, toIso } from "@tapedeck/domain"
import { Effect, Schema } from "effect"
import { HttpServerRequest } from "effect/http"
import { type Goal, move, whileStill } from "../../clock/move.ts"
import type { World } from "../../world/World.ts"
import { ControlApi } from "../Api.ts"
import { Advance, ClockChange } from "../bodies.ts"
import { controlEndpoints } from "../controlEndpoints.ts"
import { badRequest, bodyOf, type ControlRefusal, conflict, decode, json, jsonBody, refused } from "../requests.ts"
import type { MoveView } from "../schemas.ts"
import { clockView, moveView } from "../views.ts"

export const clock = controlEndpoints(
  ControlApi.groups.clock,
  {
    get: ({ world }) => Effect.sync(() => json(clockView(world))),
    set: Effect.fnUntraced(function* ({ emulator, world }) {
      const change = yield* clockChange
      const apply = Effect.sync(() => {
        if (change.mode === "running") emulator.runClock(world, change.rate ?? 1)
        else emulator.stopClock(world)
      })
      yield* Effect.mapError(whileStill(world, apply), conflict)
      noteClock(world, toIso(world.now()), { fired: 0, stoppedBy: null })
      return json(clockView(world))
    }),
    advance: Effect.fnUntraced(function* ({ world }) {
      const request = yield* bodyOf(Advance)
      const { "idempotency-key": key } = (yield* HttpServerRequest.HttpServerRequest).headers
      const answer = advance(world, request)
      return json(yield* key === undefined ? answer : once(world, key, answer))
    })
  },
  ["set", "advance"]
)

/** If the mode is invalid, reports the mode; else the problems of the rest. */
const clockChange = Effect.flatMap(jsonBody, (body) => {
  const mode = typeof body === "object" && body !== null && "mode" in body ? body.mode : "stopped"
  return mode === "stopped" || mode === "running"
    ? decode(ClockChange, body)
    : Effect.fail(badRequest({ path: "mode", message: 'must be "stopped" or "running"' }))
})

const advance = Effect.fnUntraced(function* (world: World, request: typeof Advance.Type) {
  const goal = yield* goalOf(world, request)
  const from = toIso(world.now())
  const moved = yield* Effect.mapError(move(world, goal, request.max_events), conflict)
  noteClock(world, from, { fired: moved.fired.length, stoppedBy: moved.stoppedBy })
  return moveView(world, moved)
})

const isInstant = Schema.is(Instant)
const forms = ["by", "to", "next", "until"] as const

/** The goal of an `advance`: exactly one of its forms, and not in the past. */
const goalOf = (world: World, request: typeof Advance.Type): Effect.Effect<Goal, ControlRefusal> => {
  const given = forms.filter((form) => request[form] !== undefined)
  if (given.length !== 1) {
    const message = `give exactly one of by, to, next, until${given.length === 0 ? "" : `, not ${given.join(", ")}`}`
    return Effect.fail(badRequest({ path: given[1] ?? "", message }))
  }
  if (request.next === true) return Effect.succeed({ next: true })
  if (request.until === "idle") return Effect.succeed({ until: "idle" })
  const to = request.to === undefined ? world.now() + durationMs(request.by!) : parseIso(request.to)
  if (!isInstant(to)) {
    return Effect.fail(badRequest({ path: given[0]!, message: "is beyond the last instant, the end of the year 9999" }))
  }
  if (to < world.now()) return Effect.fail(badRequest({ path: "to", message: "must not be in the past" }))
  return Effect.succeed({ to })
}

/** A repeated call with the same key gets the first response and moves nothing. */
const once = (
  world: World,
  key: string,
  answer: Effect.Effect<MoveView, ControlRefusal>
): Effect.Effect<MoveView, ControlRefusal> =>
  Effect.suspend(() => {
    const first = world.answeredMove(key)
    if (first === "in progress") return Effect.fail(refused(409, "The move with this Idempotency-Key is in progress"))
    if (first !== undefined) return Effect.succeed(first)
    world.keepMove(key, "in progress")
    return answer.pipe(
      Effect.tap((view) => Effect.sync(() => world.keepMove(key, view))),
      // A refused move did not happen and may be retried.
      Effect.onError(() => Effect.sync(() => world.keepMove(key, undefined)))
    )
  }).pipe(Effect.uninterruptible)

const noteClock = (
  world: World,
  from: string,
  { fired, stoppedBy }: { readonly fired: number; readonly stoppedBy: "max_events" | null }
) => {
  const rate = world.clock.rate
  world.note({
    kind: "clock",
    from,
    to: toIso(world.now()),
    mode: rate === null ? "stopped" : "running",
    rate: rate ?? 1,
    fired,
    stopped_by: stoppedBy
  })
}
