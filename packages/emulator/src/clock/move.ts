import { type Due, Store, Transcripts } from "@tapedeck/core"
import { Dispatcher } from "@tapedeck/dispatcher"
import type { Instant } from "@tapedeck/domain"
import { Clock, Effect, Schema } from "effect"
import { attemptNote } from "../journal/attempts.ts"
import type { World } from "../World.ts"
import { isEvent, pendingEvent, type WorldEvent } from "./events.ts"
import { wallClock } from "./VirtualClock.ts"

/** How far a move goes: to an instant, through all that is due next, or until nothing is pending. */
export type Goal = { readonly to: Instant } | { readonly next: true } | { readonly until: "idle" }

export interface Move {
  readonly fired: ReadonlyArray<WorldEvent>
  readonly reached: boolean
  readonly stoppedBy: "max_events" | null
}

/** Another move, or something that a move must not meet, is under way in this world. */
export class MoveUnderWay extends Schema.TaggedError<MoveUnderWay>()("MoveUnderWay", {}) {
  override get message() {
    return "A move of this world's clock is under way"
  }
}

const defaultMaxEvents = 10_000

/** Nothing renews leases here: longer than the longest attempt. */
const leaseMs = 360_000

/** Keeps moves, resets and what else must not meet a move of the same world apart: the second is refused, not queued. */
export const whileStill = <A, E, R>(
  world: World,
  body: Effect.Effect<A, E, R>
): Effect.Effect<A, E | MoveUnderWay, R> =>
  Effect.suspend((): Effect.Effect<A, E | MoveUnderWay, R> => {
    if (world.clock.moving) return Effect.fail(new MoveUnderWay())
    const { endMove } = world.clock.beginMove(world.nextDueAt())
    return Effect.ensuring(body, Effect.sync(endMove))
  })

/**
 * Moves a world's clock. Every event fires at its own due instant, in due order, with the events that those cause; the
 * clock waits for what is under way. More than `maxEvents` fired events stop the move there.
 */
export const move = (world: World, goal: Goal, maxEvents = defaultMaxEvents): Effect.Effect<Move, MoveUnderWay> =>
  // A caller that hangs up does not leave an attempt half recorded.
  Effect.uninterruptible(whileStill(world, world.run(fireAll(world, goal, maxEvents))))

const fireAll = Effect.fnUntraced(function* (world: World, goal: Goal, maxEvents: number) {
  const fired: Array<WorldEvent> = []
  /** Where in `fired` the attempt stands that has started and not ended. */
  const unfinished = new Map<string, number>()
  let limit = "to" in goal ? goal.to : Number.POSITIVE_INFINITY
  while (true) {
    const due = nextDue(world)
    if (due === undefined || due.at > limit) break
    if (due.kind !== "attempt_end" && fired.length >= maxEvents)
      return { fired, reached: false, stoppedBy: "max_events" as const }
    if ("next" in goal) limit = Math.max(due.at, world.now())
    if (due.at > world.now()) world.clock.set(due.at)
    const event = yield* fire(world, due)
    if (event === null) continue
    if (event.kind === "attempt_end") {
      const start = unfinished.get(event.id)
      if (start !== undefined) fired[start] = withResultOf(fired[start]!, event)
      continue
    }
    if (event.kind === "attempt" && event.result?.outcome === null) unfinished.set(event.id, fired.length)
    fired.push(event)
  }
  if ("to" in goal) world.clock.set(goal.to)
  return { fired, reached: true, stoppedBy: null }
})

const nextDue = (world: World): Exclude<Due, { readonly kind: "lease" }> | undefined => {
  for (const due of world.memory.state().agenda.values()) if (isEvent(due)) return due
  return undefined
}

/** An attempt's end carries the result that belongs to its start. */
type Fired =
  | WorldEvent
  | (Extract<WorldEvent, { readonly kind: "attempt_end" }> &
      Pick<Extract<WorldEvent, { readonly kind: "attempt" }>, "result">)

const fire = Effect.fnUntraced(function* (world: World, due: Exclude<Due, { readonly kind: "lease" }>) {
  const event = pendingEvent(world, due)
  const store = yield* Store
  if (event.kind === "transcript") {
    const transcripts = yield* Transcripts
    for (const step of yield* store.transcriptSteps.take(1)) {
      if (yield* transcripts.step(step)) world.note({ kind: "transcript", id: event.id, status: event.status })
    }
    return event satisfies Fired
  }
  const dispatcher = yield* Dispatcher
  const [claim] = yield* store.deliveries.claim({ limit: 1, leaseMs })
  const performed = claim === undefined ? null : yield* dispatcher.perform(claim)
  if (performed === null) return null
  const { delivery, outcome, statusCode } = performed
  const ended = outcome === null ? undefined : delivery.attempts.at(-1)
  if (ended !== undefined) world.note(attemptNote(delivery, ended), ended.at)
  return { ...event, result: { outcome, statusCode } } as Fired
})

const withResultOf = (start: WorldEvent, end: Fired): WorldEvent =>
  start.kind === "attempt" && "result" in end && end.result !== undefined ? { ...start, result: end.result } : start

/** How long the running mode rests, in wall time, before it looks again. */
const restMs = 20

/** Lets wall time carry the world's time, times `rate`, for as long as the effect runs. */
export const running = (world: World, rate: number): Effect.Effect<never> => {
  // Another move goes first; what is due fires when it is done.
  const turn = Effect.suspend(() => Effect.ignore(move(world, { to: world.clock.carried() })))
  return Effect.sync(() => world.clock.run(rate)).pipe(
    Effect.andThen(Effect.forever(Effect.andThen(turn, Effect.sleep(restMs)))),
    Effect.provideService(Clock.Clock, wallClock)
  )
}
