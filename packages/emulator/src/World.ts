import {
  type AccessTokens,
  type AuditLog,
  type Deliveries,
  emptyWorld,
  type Folders,
  type Ids,
  type MemoryStore,
  makeMemoryStore,
  type RateLimiter,
  type Recordings,
  type RequestIds,
  type ServiceConfig,
  type SettingsServices,
  type Store,
  type TestSender,
  type Transcripts,
  type Users,
  type Vault,
  type WorldState
} from "@tapedeck/core"
import type { Dispatcher } from "@tapedeck/dispatcher"
import type { Instant } from "@tapedeck/domain"
import type { WorldConfig } from "@tapedeck/fixtures"
import { type Context, Deferred, Effect, Exit } from "effect"
import { WorldClock } from "./clock/WorldClock.ts"
import type { MoveView } from "./control/schemas.ts"
import { toIso } from "./iso.ts"
import type { JournalEntry, JournalNote } from "./journal/Journal.ts"
import { noSurroundings, type Surroundings } from "./Surroundings.ts"

/** What a world provides to the production code with each request and each move. */
export type WorldServices =
  | AccessTokens
  | AuditLog
  | Deliveries
  | Dispatcher
  | Folders
  | Ids
  | RateLimiter
  | Recordings
  | RequestIds
  | ServiceConfig
  | SettingsServices
  | Store
  | TestSender
  | Transcripts
  | Users
  | Vault

/** What a world is made with, and keeps. */
export interface WorldSettings {
  readonly seed: number
  readonly config: WorldConfig
  readonly startedAt: Instant
}

/** All that a world is at one moment, as one immutable value: what a reset puts back and a fork copies. */
export interface WorldMoment {
  readonly store: WorldState
  readonly now: Instant
  readonly surroundings: Surroundings
}

/** All that makes a world what it is. */
export interface WorldImage {
  readonly settings: WorldSettings
  readonly start: WorldMoment
  readonly present: WorldMoment
}

/** One isolated copy of the service: its data, clock, random source, sinks, faults and journal. */
export class World {
  readonly id: string
  readonly clock: WorldClock
  readonly memory: MemoryStore = makeMemoryStore(emptyWorld())
  settings: WorldSettings
  services: Context.Context<WorldServices>
  surroundings: Surroundings
  /** Deliveries to real receivers that are under way. */
  inFlight = 0
  /** Answers of moves that came with an `Idempotency-Key`. */
  readonly answeredMoves = new Map<string, MoveView | "under way">()
  /** Told of each entry as it is written, whether the journal has room for it or not. */
  onNote: ((entry: JournalEntry) => void) | null = null
  private readonly makeServices: (world: World) => Context.Context<WorldServices>
  /** Who waits for the next entry of the journal, if anybody does. */
  private awaited: Deferred.Deferred<void> | null = null
  private start: WorldMoment

  constructor(id: string, settings: WorldSettings, makeServices: World["makeServices"]) {
    this.id = id
    this.makeServices = makeServices
    this.settings = settings
    this.clock = new WorldClock(settings.startedAt)
    this.surroundings = noSurroundings(settings.config.journal_size)
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
    return this.memory.state().agenda.minKey()?.at
  }

  update(change: Partial<Surroundings>) {
    this.surroundings = { ...this.surroundings, ...change }
  }

  /** Writes to the journal; `at` is now unless it is said. */
  note(note: JournalNote, at: Instant = this.now()) {
    const instant = toIso(at)
    const journal = this.surroundings.journal.write(instant, note)
    this.update({ journal })
    this.onNote?.({ seq: journal.length, at: instant, ...note })
    if (this.awaited === null) return
    const grown = this.awaited
    this.awaited = null
    Deferred.doneUnsafe(grown, Exit.void)
  }

  /** Completes at the next entry after it was asked for. */
  get nextNote(): Effect.Effect<void> {
    this.awaited ??= Deferred.makeUnsafe<void>()
    return Deferred.await(this.awaited)
  }

  /** From here on this is what `reset` comes back to. */
  markStart() {
    this.start = this.moment()
  }

  /** Back to the start document and the start instant; what was added since is gone. */
  reset() {
    this.put(this.start)
    this.answeredMoves.clear()
  }

  image(): WorldImage {
    return { settings: this.settings, start: this.start, present: this.moment() }
  }

  /** Becomes what another world is, or was: settings, start and present. */
  become({ present, settings, start }: WorldImage) {
    this.settings = settings
    this.services = this.makeServices(this)
    this.start = start
    this.put(present)
    this.answeredMoves.clear()
  }

  private moment(): WorldMoment {
    return { store: this.memory.state(), now: this.now(), surroundings: this.surroundings }
  }

  private put({ now, store, surroundings }: WorldMoment) {
    this.memory.replace(store)
    this.surroundings = surroundings
    this.clock.restart(now)
  }

  /** Runs an effect with this world's services and on its clock. */
  run<A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, Exclude<R, WorldServices>> {
    return Effect.provideContext(effect, this.services) as Effect.Effect<A, E, Exclude<R, WorldServices>>
  }
}
