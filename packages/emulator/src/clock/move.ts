import {
  CaptureSessions,
  type JobClaim,
  MailFailed,
  type MailTry,
  Outbox,
  Redeliveries,
  ResumableUploads,
  repeating,
  type Send,
  storeOf,
  Transcripts
} from "@tapedeck/core"
import type { Instant } from "@tapedeck/domain"
import { mailSubjectOf } from "@tapedeck/domain/internal/jobs"
import { Clock, Effect, Schema } from "effect"
import { attemptNote } from "../journal/attempts.ts"
import { mailViewOf } from "../world/mails.ts"
import type { World } from "../world/World.ts"
import { WorldDispatcher } from "../world/WorldDispatcher.ts"
import { type DueEvent, eventsOf, isRepeating, isUpkeep, type WorldJob } from "./dueEvents.ts"
import { pendingEvent, type WorldEvent } from "./events.ts"
import { removeAllExpired, sealAll } from "./upkeep.ts"
import { wallClock } from "./VirtualClock.ts"

/** The end of a move: an instant, everything that is due next, or until nothing is pending. */
export type Goal = { readonly to: Instant } | { readonly next: true } | { readonly until: "idle" }

export interface Move {
  readonly fired: ReadonlyArray<WorldEvent>
  readonly reached: boolean
  readonly stoppedBy: "max_events" | null
}

/** Another move, or a change that must not overlap with a move, is in progress in this world. */
export class MoveInProgress extends Schema.TaggedError<MoveInProgress>()("MoveInProgress", {}) {
  override get message() {
    return "A move of this world's clock is in progress"
  }
}

const defaultMaxEvents = 10_000

/** Longer than the longest attempt, because nothing renews leases here. */
const leaseMs = 360_000

/**
 * Refuses moves, resets and other changes while a call moves the clock of the same world. They are not queued. The events
 * of a running clock refuse them only while a real receiver answers, which may be their caller; else they wait for these.
 */
export const whileStill = <A, E, R>(
  world: World,
  body: Effect.Effect<A, E, R>,
  by: "call" | "clock" = "call"
): Effect.Effect<A, E | MoveInProgress, R> =>
  Effect.suspend((): Effect.Effect<A, E | MoveInProgress, R> => {
    const { clock } = world
    if (clock.movedBy === "clock" && world.inFlight === 0)
      return Effect.andThen(clock.woken, whileStill(world, body, by))
    if (clock.movedBy !== null) return Effect.fail(new MoveInProgress())
    const { endMove } = clock.beginMove(world.nextDueAt(), by)
    return Effect.ensuring(body, Effect.sync(endMove))
  })

/**
 * Moves a world's clock. Every event fires at its due instant, in due order, including the events that they cause. The clock
 * waits for attempts in flight. After `maxEvents` events the move stops.
 */
export const move = (
  world: World,
  goal: Goal,
  maxEvents = defaultMaxEvents,
  by: "call" | "clock" = "call"
): Effect.Effect<Move, MoveInProgress> =>
  // A caller that disconnects must not leave an attempt half recorded.
  Effect.uninterruptible(whileStill(world, world.run(fireAll(world, goal, maxEvents)), by))

const fireAll = Effect.fnUntraced(function* (world: World, goal: Goal, maxEvents: number) {
  const fired: Array<WorldEvent> = []
  /** The index in `fired` of the attempt that has started and not ended. */
  const unfinished = new Map<string, number>()
  let limit = "to" in goal ? goal.to : Number.POSITIVE_INFINITY
  while (true) {
    const due = nextDue(world)
    const pending = "to" in goal ? due : nextDue(world, isPending)
    if (due === undefined || pending === undefined || due.at > limit) break
    if ("next" in goal) limit = Math.min(limit, Math.max(pending.at, world.now()))
    if (fired.length >= maxEvents) {
      const visible = nextDue(world, (event) => event.kind === "attempt_end" || isShown(event))
      if (visible !== undefined && isShown(visible) && visible.at <= limit) {
        return { fired, reached: false, stoppedBy: "max_events" as const }
      }
    }
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

/** Returns whether `fired` shows an event. Mails and work that repeats are in the journal only. */
const isShown = (due: DueEvent): boolean =>
  due.kind === "job" ? isPending(due) && due.job.kind !== "mail" : due.kind === "attempt"

const isPending = (event: DueEvent): boolean => !isRepeating(event)

const nextDue = (world: World, isIncluded: (event: DueEvent) => boolean = () => true): DueEvent | undefined => {
  for (const event of eventsOf(world)) if (isIncluded(event)) return event
  return undefined
}

/** The end of an attempt contains the result of its start. */
type Fired =
  | WorldEvent
  | (Extract<WorldEvent, { readonly kind: "attempt_end" }> &
      Pick<Extract<WorldEvent, { readonly kind: "attempt" }>, "result">)

const fire = Effect.fnUntraced(function* (world: World, due: DueEvent) {
  const event = pendingEvent(world, due)
  if (due.kind === "job") {
    yield* runJob(world, due.job)
    return isShown(due) ? (event satisfies Fired) : null
  }
  if (isUpkeep(due)) {
    yield* due.kind === "seal" ? sealAll : removeAllExpired(world)
    world.note({ kind: "job", job: due.kind, id: event.id, outcome: "success" })
    return null
  }
  const dispatcher = yield* WorldDispatcher
  const [claim] = yield* dispatcher.queue.claim({ limit: 1, leaseMs })
  const performed = claim === undefined ? null : yield* dispatcher.perform(claim)
  if (performed === null) return null
  const { delivery, outcome, statusCode } = performed
  const ended = outcome === null ? undefined : delivery.attempts.at(-1)
  if (ended !== undefined) world.note(attemptNote(delivery, ended), ended.at)
  return { ...event, result: { outcome, statusCode } } as Fired
})

const runJob = Effect.fnUntraced(function* (world: World, { id }: WorldJob) {
  const { jobs } = yield* storeOf("jobs")
  const claim = (yield* jobs.claimById(id, leaseMs)) as JobClaim<WorldJob> | undefined
  if (claim === undefined) return
  const { fence, job } = claim
  const note = (subject: string, outcome: MailTry["outcome"] = "success") => {
    const attempt = job.kind === "mail" ? { attempt: job.failedTries + 1 } : {}
    world.note({ kind: "job", job: job.kind, id: subject, ...attempt, outcome })
  }
  switch (job.kind) {
    case "capture":
      return note(
        job.recordingUuid,
        (yield* (yield* CaptureSessions).runJob({ fence, job })) === undefined ? "success" : "failure"
      )
    case "redelivery":
      yield* (yield* Redeliveries).runStep({ fence, job })
      return note(job.redeliveryId)
    case "sweep":
      yield* repeating((yield* ResumableUploads).sweep)({ fence, job })
      // The next upload adds it again: a move over centuries has nothing to do.
      if (world.memory.state().uploads.size === 0) yield* jobs.cancel([job.id])
      return note(job.id)
    case "mail": {
      const { mail, outcome } = yield* (yield* Outbox).deliver({ fence, job }, accept)
      const view = mailViewOf(job, mail, outcome === "success" ? "sent" : "failed", job.failedTries + 1)
      if (view !== null && outcome !== "failure") world.keepMail(view)
      return note(mailSubjectOf(job), outcome)
    }
    case "transcript":
      if (yield* (yield* Transcripts).runStep({ fence, job }))
        world.note({ kind: "transcript", id: job.recordingUuid, status: job.status })
  }
})

/** Accepts a mail, which leaves no world. One to an address of the reserved domain `invalid` (RFC 6761) is refused. */
const accept: Send = ({ to }) =>
  /[@.]invalid$/iu.test(to)
    ? Effect.fail(new MailFailed({ cause: new Error(`no mail server for ${to}`) }))
    : Effect.void

const withResultOf = (start: WorldEvent, end: Fired): WorldEvent =>
  start.kind === "attempt" && "result" in end && end.result !== undefined ? { ...start, result: end.result } : start

/** Poll interval of a running clock, in wall time. */
const restMs = 20

/** Maximum number of events of one move of a running clock, for which calls wait. */
const maxTurnEvents = 500

/** Runs the world's clock with wall time, times `rate`, as long as the effect runs. */
export const running = (world: World, rate: number): Effect.Effect<never> => {
  // If another move is in progress, due events fire after it.
  const turn = Effect.suspend(() => Effect.ignore(move(world, { to: world.clock.carried() }, maxTurnEvents, "clock")))
  return Effect.sync(() => world.clock.run(rate)).pipe(
    Effect.andThen(Effect.forever(Effect.andThen(turn, Effect.sleep(restMs)))),
    Effect.provideService(Clock.Clock, wallClock)
  )
}
