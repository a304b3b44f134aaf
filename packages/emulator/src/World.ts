import type { WorldConfig } from "@tapedeck/core"
import {
  type AccessTokens,
  type AuditLog,
  BeforeTranscriptRead,
  type Deliveries,
  emptyWorld,
  type Folders,
  Ids,
  type MemoryStore,
  makeMemoryStore,
  type RateLimiter,
  type Recordings,
  RequestIds,
  RequestOrigin,
  ServiceConfig,
  Store,
  serviceConfigOf,
  Transcripts,
  type Users,
  useCases,
  Vault,
  type WorldState
} from "@tapedeck/core"
import { Dispatcher, Guard, type NetworkAgent, Sender } from "@tapedeck/dispatcher"
import type { Instant, RecordingUuid } from "@tapedeck/domain"
import { Clock, Context, Effect, Layer, Redacted, Scope } from "effect"
import { virtualClock } from "./clock/VirtualClock.ts"
import { WorldClock } from "./clock/WorldClock.ts"
import { receiverGuard } from "./receivers.ts"
import { seededIds, seededKey, seededRequestIds } from "./seeded.ts"
import type { Sink } from "./sinks/Sinks.ts"
import { countingReads, type ReadScript } from "./transcriptReads.ts"
import { worldSender } from "./worldSender.ts"

/** All that a world is at one moment, as one immutable value: what a reset puts back and a fork copies. */
export interface WorldMoment {
  readonly store: WorldState
  readonly now: Instant
  readonly sinks: ReadonlyMap<string, Sink>
  /** Transcripts that change at the n-th read. */
  readonly readScripts: ReadonlyMap<RecordingUuid, ReadScript>
}

export type WorldServices =
  | Store
  | ServiceConfig
  | Ids
  | RequestIds
  | Vault
  | AccessTokens
  | AuditLog
  | Deliveries
  | Folders
  | RateLimiter
  | Recordings
  | Transcripts
  | Users
  | Dispatcher

export interface WorldOptions {
  readonly id: string
  readonly now: Instant
  readonly seed: number
  readonly config: WorldConfig
}

/** One isolated copy of the service: its data, clock, random source and sinks. */
export class World {
  readonly id: string
  readonly seed: number
  readonly config: WorldConfig
  readonly memory: MemoryStore
  readonly services: Context.Context<WorldServices>
  readonly startedAt: Instant
  sinks: ReadonlyMap<string, Sink> = new Map()
  readScripts: ReadonlyMap<RecordingUuid, ReadScript> = new Map()
  /** Deliveries to real receivers that are under way. */
  inFlight = 0
  readonly clock: WorldClock
  private start: WorldMoment

  constructor(options: WorldOptions, agent: NetworkAgent) {
    this.id = options.id
    this.seed = options.seed
    this.config = options.config
    this.clock = new WorldClock(options.now)
    this.startedAt = options.now
    this.memory = makeMemoryStore(emptyWorld())
    this.services = buildServices(this, agent)
    this.start = this.moment()
  }

  /** The world's present instant. */
  now(): Instant {
    return this.clock.now(this.nextDueAt())
  }

  nextDueAt(): Instant | undefined {
    return this.memory.state().agenda.minKey()?.at
  }

  moment(): WorldMoment {
    return { store: this.memory.state(), now: this.now(), sinks: this.sinks, readScripts: this.readScripts }
  }

  /** From here on this is what `reset` comes back to. */
  markStart() {
    this.start = this.moment()
  }

  /** Back to the start document and the start instant; what was added since is gone. */
  reset() {
    const { now, readScripts, sinks, store } = this.start
    this.memory.replace(store)
    this.clock.restart(now)
    this.sinks = sinks
    this.readScripts = readScripts
  }

  /** Runs an effect with this world's services and on its clock. */
  run<A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, Exclude<R, WorldServices>> {
    return Effect.provideContext(effect, this.services) as Effect.Effect<A, E, Exclude<R, WorldServices>>
  }
}

const buildServices = (world: World, agent: NetworkAgent): Context.Context<WorldServices> => {
  const { config, seed } = world
  const ports = Context.make(Store, world.memory.store).pipe(
    Context.add(ServiceConfig, serviceConfigOf(config)),
    Context.add(Ids, seededIds(seed, world.memory)),
    Context.add(RequestIds, seededRequestIds(seed)),
    Context.add(Vault, Vault.make(Redacted.make(seededKey(seed)))),
    Context.add(Sender, worldSender(world, agent)),
    Context.add(Guard, receiverGuard(config.allow_receivers)),
    Context.add(
      Clock.Clock,
      virtualClock(() => world.now())
    ),
    // The same wherever the request came from: in process, or over the network.
    Context.add(RequestOrigin, { ipAddress: "127.0.0.1", userAgent: null })
  )
  const layer = Layer.provideMerge(Dispatcher.layer, useCases).pipe(Layer.provideMerge(Layer.succeedContext(ports)))
  const services = Effect.runSync(Layer.buildWithScope(layer, Scope.makeUnsafe()))
  const transcripts = Context.get(services, Transcripts)
  return Context.add(services, BeforeTranscriptRead, countingReads(world, transcripts))
}
