import { parseIso } from "@tapedeck/domain"
import type { Problem } from "@tapedeck/domain/input"
import { defaultWorldConfig, loadStartDocument, PartialWorldConfig } from "@tapedeck/fixtures"
import { Deferred, Effect, Exit, type Fiber } from "effect"
import { type MoveInProgress, running, whileStill } from "./clock/move.ts"
import { wallTime } from "./clock/VirtualClock.ts"
import { NewWorld } from "./control/bodies.ts"
import { badRequest, type ControlRefusal, decode, refused } from "./control/requests.ts"
import type { Network } from "./deliveries/network.ts"
import { receiverRules } from "./deliveries/receivers.ts"
import { makeSink, sinkUrl } from "./sinks/Sinks.ts"
import { servicesOn } from "./world/services.ts"
import { World } from "./world/World.ts"

export const defaultWorldId = "default"
const defaultNow = parseIso("2026-01-01T00:00:00.000Z")!
const defaultSeed = 1

/** Reads a video that a start document names by `path`. Not available to documents over the network. */
export type ReadFile = (path: string) => Uint8Array

export interface EmulatorOptions {
  readonly network: Network
  /** Host names, besides loopback, that calls of the control plane may use. */
  readonly allowHosts: ReadonlyArray<string>
  /** Folder of the files that calls name by `path`. Default: the working directory. */
  readonly folder?: string
  /** Called with each new world. */
  readonly onWorld?: (world: World) => void
}

interface MadeWorld {
  readonly world: World
  /** The start document as loaded. */
  readonly made: unknown
  /** Id of the world; undefined for a free one. */
  readonly id: string | undefined
}

/** The worlds of one process. */
export class Emulator {
  readonly allowHosts: ReadonlyArray<string>
  readonly folder: string
  readonly worlds = new Map<string, World>()
  /** Origin of the socket, when there is one. */
  origin = "http://localhost"
  private readonly makeServices: ReturnType<typeof servicesOn>
  private readonly onWorld: (world: World) => void
  private readonly ended = Deferred.makeUnsafe<never, ControlRefusal>()
  private readonly runners = new Map<World, Fiber.Fiber<never>>()
  private named = 0

  constructor({ network, allowHosts, folder = process.cwd(), onWorld = () => {} }: EmulatorOptions) {
    this.makeServices = servicesOn(network)
    this.allowHosts = allowHosts
    this.folder = folder
    this.onWorld = onWorld
  }

  /** Pending until the emulator is closed; then waiting calls are refused. */
  whileOpen<A, E, R>(waiting: Effect.Effect<A, E, R>): Effect.Effect<A, E | ControlRefusal, R> {
    return Effect.raceFirst(waiting, Deferred.await(this.ended))
  }

  baseUrl(world: World, origin: string): string {
    return world.id === defaultWorldId ? origin : `${origin}/worlds/${world.id}`
  }

  /**
   * Creates a world from the body of `POST /_emulator/worlds` and loads its start document, or creates nothing.
   * Reports all problems at once.
   */
  create(start: unknown, readFile?: ReadFile): Effect.Effect<MadeWorld, ControlRefusal> {
    return Effect.tap(this.make(start, readFile), ({ id, world }) => this.add(world, id))
  }

  /** Recreates a world from another start, like `create`. If that fails, the world is unchanged. */
  remake(world: World, start: unknown, readFile?: ReadFile): Effect.Effect<void, ControlRefusal | MoveInProgress> {
    return Effect.flatMap(this.make(start, readFile, world), (made) =>
      whileStill(
        world,
        Effect.sync(() => world.become(made.world.image()))
      )
    )
  }

  /** Creates a world without an id, which is not registered yet. `inPlaceOf` is the world that it replaces. */
  private make(start: unknown, readFile?: ReadFile, inPlaceOf?: World): Effect.Effect<MadeWorld, ControlRefusal> {
    return Effect.gen({ self: this }, function* () {
      const problems: Array<Problem> = []
      const collect = <A>(effect: Effect.Effect<A, ControlRefusal>, otherwise: A): Effect.Effect<A> =>
        Effect.catch(effect, (refusal) => {
          problems.push(...refusal.problems)
          return Effect.succeed(otherwise)
        })
      const { call: given, config: documentConfig, document } = splitDocument(start)
      const call = yield* collect(decode(NewWorld, given), {})
      const documentSettings = yield* collect(
        Effect.mapError(decode(PartialWorldConfig, documentConfig ?? {}), (refusal) =>
          badRequest(...refusal.problems.map(({ message, path }) => ({ path: `config.${path}`, message })))
        ),
        {}
      )
      const present = call.id === undefined ? undefined : this.worlds.get(call.id)
      if (present !== undefined && present !== inPlaceOf) return yield* this.taken(present.id)
      const now = call.now === undefined ? defaultNow : parseIso(call.now)
      if (now === undefined)
        problems.push({ path: "now", message: "must be an ISO 8601 instant, such as 2026-01-01T00:00:00.000Z" })
      const settings = {
        startedAt: now ?? defaultNow,
        seed: call.seed ?? defaultSeed,
        config: { ...defaultWorldConfig, ...documentSettings, ...call.config }
      }
      const world = new World(settings, this.makeServices)
      const made = document === undefined ? {} : yield* collect<unknown>(addFixtures(world, document, readFile), {})
      if (problems.length > 0) return yield* badRequest(...problems)
      world.markStart()
      return { world, made, id: call.id }
    })
  }

  /** Creates a world with the present state of another one, including its clock and pending work. Its reset restores the other's start. */
  fork(origin: World, id: string | undefined): Effect.Effect<World, ControlRefusal> {
    return Effect.suspend(() => {
      const image = origin.image()
      const world = new World(image.settings, this.makeServices)
      world.become(image)
      return Effect.as(this.add(world, id), world)
    }).pipe(
      Effect.tap((world) =>
        Effect.sync(() => {
          if (origin.clock.rate !== null) this.runClock(world, origin.clock.rate)
        })
      )
    )
  }

  remove(world: World) {
    this.stopClock(world)
    this.worlds.delete(world.id)
    world.end()
  }

  /** Runs the world's clock with wall time, times `rate`. */
  runClock(world: World, rate: number) {
    this.stopClock(world)
    this.runners.set(world, Effect.runForkWith(wallTime)(running(world, rate)))
  }

  stopClock(world: World) {
    this.runners.get(world)?.interruptUnsafe()
    this.runners.delete(world)
    world.clock.stop(world.nextDueAt())
  }

  /** Stops running clocks, and refuses waiting calls. */
  stop() {
    Deferred.doneUnsafe(this.ended, Exit.fail(refused(503, "the emulator is closed")))
    for (const world of this.worlds.values()) {
      this.stopClock(world)
      world.end()
    }
  }

  /** Registers a complete world. Its id may have been taken while its start document was loaded. */
  private add(world: World, id: string | undefined): Effect.Effect<void, ControlRefusal> {
    return Effect.suspend(() => {
      if (id !== undefined && this.worlds.has(id)) return this.taken(id)
      world.id = id ?? this.freeId()
      if (id === undefined) this.named++
      this.worlds.set(world.id, world)
      this.onWorld(world)
      return Effect.void
    })
  }

  private taken(id: string): Effect.Effect<never, ControlRefusal> {
    return Effect.fail(refused(409, `world ${id} already exists`))
  }

  /** Returns the next unused id: `w1`, `w2`, … */
  private freeId(): string {
    let number = this.named + 1
    while (this.worlds.has(`w${number}`)) number++
    return `w${number}`
  }
}

/** Separates the `config` of a start document from the content to load. */
const splitDocument = (
  start: unknown
): { readonly call: unknown; readonly config?: unknown; readonly document?: unknown } => {
  if (!isObject(start)) return { call: start }
  const { fixtures, ...call } = start
  if (!isObject(fixtures)) return fixtures === undefined ? { call } : { call, document: fixtures }
  const { config, ...document } = fixtures
  return { call, config, document }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Adds the content of a start document to a world: all of it or nothing. Returns what was added. */
export const addFixtures = (
  world: World,
  document: unknown,
  readFile?: ReadFile
): Effect.Effect<unknown, ControlRefusal> =>
  world
    .run(
      Effect.suspend(() =>
        loadStartDocument(document, {
          vendor: world.config.vendor,
          // Requires HTTPS, except for addresses that the emulator may call (emulator contract, Clock).
          allowHttp: receiverRules(world.config.allow_receivers),
          sinkUrl,
          takenSinks: new Set(world.environment.sinks.keys()),
          ...(readFile === undefined ? {} : { readFile })
        })
      )
    )
    .pipe(
      Effect.mapError((invalid) => badRequest(...invalid.problems)),
      Effect.map(({ made, readScripts, sinks }) => {
        const bySink = new Map(world.environment.sinks)
        for (const sink of sinks) bySink.set(sink.id, makeSink(sink))
        const byRecording = new Map(world.environment.readScripts)
        for (const { recordingUuid, steps } of readScripts) byRecording.set(recordingUuid, { reads: 0, steps })
        world.update({ sinks: bySink, readScripts: byRecording })
        return made
      })
    )
