import {
  type AccessTokens,
  type AuditLog,
  type CaptureServices,
  type Deliveries,
  emptyWorld,
  type Folders,
  type Ids,
  type MemoryStore,
  makeMemoryStore,
  type Outbox,
  type RateLimiter,
  type RecordingContent,
  type Recordings,
  type RequestIds,
  type Retention,
  type ServiceConfig,
  type SettingsServices,
  type ShareLinks,
  type StoreParts,
  type TestSender,
  type Transcripts,
  type Users,
  type Vault,
  type WorldState
} from "@tapedeck/core"
import type { Instant, RecordingUuid, TranscriptStatus } from "@tapedeck/domain"
import { retentionOf, type WorldConfig } from "@tapedeck/fixtures"
import { type Context, Deferred, Effect, Exit } from "effect"
import { nextDueAt } from "../clock/dueEvents.ts"
import { toIso } from "../clock/iso.ts"
import { WorldClock } from "../clock/WorldClock.ts"
import type { MailView, MoveView } from "../control/schemas.ts"
import { type Faults, noFaults } from "../faults/Faults.ts"
import { Journal, type JournalEntry, type JournalNote } from "../journal/Journal.ts"
import { type NotedBodies, RecentBodies } from "../journal/RecentBodies.ts"
import type { Sink } from "../sinks/Sinks.ts"
import { maxListed } from "./mails.ts"
import type { WorldDispatcher } from "./WorldDispatcher.ts"

/** The services that a world provides to the production code for each request and move. */
export type WorldServices =
  | AccessTokens
  | AuditLog
  | CaptureServices
  | Deliveries
  | Folders
  | Ids
  | Outbox
  | RateLimiter
  | RecordingContent
  | Recordings
  | RequestIds
  | ServiceConfig
  | SettingsServices
  | ShareLinks
  | StoreParts
  | TestSender
  | Transcripts
  | Users
  | Vault
  | WorldDispatcher

/** A transcript that changes with its reads: a status applies from the n-th read since the transcript was loaded. */
interface ReadScript {
  readonly reads: number
  readonly steps: ReadonlyArray<{ readonly reads: number; readonly status: TranscriptStatus }>
}

/** State of a world outside the service's store, as one immutable value. */
interface WorldEnvironment {
  readonly sinks: ReadonlyMap<string, Sink>
  /** Transcripts whose status depends on the number of reads. */
  readonly readScripts: ReadonlyMap<RecordingUuid, ReadScript>
  readonly faults: Faults
  readonly journal: Journal
  /** The newest mails that were sent or have failed. */
  readonly mails: ReadonlyArray<MailView>
}

const emptyEnvironment = (journalSize: number): WorldEnvironment => ({
  sinks: new Map(),
  readScripts: new Map(),
  faults: noFaults,
  journal: Journal.empty(journalSize),
  mails: []
})

/** The parameters of a world. */
export interface WorldSettings {
  readonly seed: number
  readonly config: WorldConfig
  readonly startedAt: Instant
}

/** The complete state of a world as one immutable value: a reset restores it, and a fork copies it. */
export interface WorldMoment {
  readonly store: WorldState
  readonly now: Instant
  readonly environment: WorldEnvironment
  readonly bodies: RecentBodies
}

/** The parts of a world. */
export interface WorldImage {
  readonly settings: WorldSettings
  readonly start: WorldMoment
  readonly present: WorldMoment
}

/** Maximum number of stored responses of moves. */
export const maxAnsweredMoves = 1_000

/** One isolated copy of the service with its data, clock, random source, sinks, faults and journal. */
export class World {
  /** Id of the world, which is set when it is registered. */
  id = ""
  readonly clock: WorldClock
  readonly memory: MemoryStore = makeMemoryStore(emptyWorld())
  settings: WorldSettings
  /** Retention times of the settings. */
  retention: Retention
  services: Context.Context<WorldServices>
  environment: WorldEnvironment
  /** The bodies of the latest requests of this state. */
  bodies = new RecentBodies()
  /** Number of requests in flight to real receivers. */
  inFlight = 0
  /** Number of states that `reset` and `become` have replaced. Work of an earlier state is dropped. */
  epoch = 0
  /** Responses of moves with an `Idempotency-Key`, oldest first. */
  private readonly moves = new Map<string, MoveView | "in progress">()
  /** Called with each journal entry, even if the journal drops it. */
  onNote: ((entry: JournalEntry) => void) | null = null
  private readonly makeServices: (world: World) => Context.Context<WorldServices>
  /** Waits for the next journal entry, if there is a waiting call. */
  private awaited: Deferred.Deferred<void> | null = null
  private start: WorldMoment
  private ending = Deferred.makeUnsafe<void>()

  constructor(settings: WorldSettings, makeServices: World["makeServices"]) {
    this.makeServices = makeServices
    this.settings = settings
    this.retention = retentionOf(settings.config)
    this.clock = new WorldClock(settings.startedAt)
    this.environment = emptyEnvironment(settings.config.journal_size)
    this.services = makeServices(this)
    this.start = this.moment()
  }

  get config(): WorldConfig {
    return this.settings.config
  }

  /** The world's present instant. */
  now(): Instant {
    return this.clock.standing ?? this.clock.now(this.nextDueAt())
  }

  nextDueAt(): Instant | undefined {
    return nextDueAt(this)
  }

  update(change: Partial<WorldEnvironment>) {
    this.environment = { ...this.environment, ...change }
  }

  /** Writes an entry to the journal, with the bodies of a request. Default of `at`: now. */
  note(note: JournalNote, at: Instant = this.now(), noted?: NotedBodies) {
    const instant = toIso(at)
    const journal = this.environment.journal.write(instant, note)
    this.update({ journal })
    if (noted !== undefined) this.bodies.add(journal.length, noted)
    this.onNote?.({ seq: journal.length, at: instant, ...note })
    if (this.awaited === null) return
    const grown = this.awaited
    this.awaited = null
    Deferred.doneUnsafe(grown, Exit.void)
  }

  /** Calls that wait for the events of the running clock look again: the receiver may be their caller. */
  beginRequest() {
    this.inFlight++
    this.clock.wake()
  }

  endRequest() {
    this.inFlight--
  }

  /** Keeps a mail that is sent or has failed. Beyond `maxListed`, the oldest are dropped. */
  keepMail(view: MailView) {
    this.update({ mails: [...this.environment.mails, view].slice(-maxListed) })
  }

  /** Completes with the next entry after the call. */
  get nextNote(): Effect.Effect<void> {
    this.awaited ??= Deferred.makeUnsafe<void>()
    return Deferred.await(this.awaited)
  }

  /** Pending until this state ends: by `reset` or `become`, or with the world. */
  get untilEnd(): Effect.Effect<void> {
    return Deferred.await(this.ending)
  }

  /** Ends the work that waits for the end of this state. */
  end() {
    const ended = this.ending
    this.ending = Deferred.makeUnsafe<void>()
    Deferred.doneUnsafe(ended, Exit.void)
  }

  /** The response of the move with this `Idempotency-Key`. */
  answeredMove(key: string): MoveView | "in progress" | undefined {
    return this.moves.get(key)
  }

  /** Stores the response of a move; undefined if it did not happen. Beyond `maxAnsweredMoves`, the oldest are dropped. */
  keepMove(key: string, answer: MoveView | "in progress" | undefined) {
    this.moves.delete(key)
    if (answer !== undefined) this.moves.set(key, answer)
    const [oldest] = this.moves.keys()
    if (this.moves.size > maxAnsweredMoves && oldest !== undefined) this.moves.delete(oldest)
  }

  /** Marks the present state as the one that `reset` restores. */
  markStart() {
    this.start = this.moment()
  }

  /** Restores the start document and the start instant, and discards everything that was added since. */
  reset() {
    this.put(this.start)
  }

  image(): WorldImage {
    return { settings: this.settings, start: this.start, present: this.moment() }
  }

  /** Takes over the state of another world: settings, start and present. */
  become({ present, settings, start }: WorldImage) {
    this.settings = settings
    this.retention = retentionOf(settings.config)
    this.services = this.makeServices(this)
    this.start = start
    this.put(present)
  }

  private moment(): WorldMoment {
    return {
      store: this.memory.state(),
      now: this.now(),
      environment: this.environment,
      bodies: this.bodies.copy()
    }
  }

  private put({ bodies, now, store, environment }: WorldMoment) {
    this.epoch++
    this.moves.clear()
    this.memory.replace(store)
    this.environment = environment
    this.bodies = bodies.copy()
    this.clock.restart(now)
    this.end()
  }

  /** Runs an effect with this world's services and clock. */
  run<A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, Exclude<R, WorldServices>> {
    return Effect.provideContext(effect, this.services) as Effect.Effect<A, E, Exclude<R, WorldServices>>
  }
}
