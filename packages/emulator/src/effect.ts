import {
  type EmulatedWorld,
  type NewWorld,
  EmulatorError as Refused,
  type RunningEmulator,
  type RunningWorld,
  startEmulator,
  type WorldOptions
} from "@tapedeck/emulator"
import { Context, Effect, Layer, Schema } from "effect"

// Effect 3 has no such module.
const { FetchHttpClient } = await import("effect/http").catch((error: unknown) => {
  throw new Error("@tapedeck/emulator/effect needs Effect 4: the installed version has no effect/http", {
    cause: error
  })
})

/** A refused call of the control plane. `status` is as over HTTP; each of `problems` has the path of the invalid value. */
export class EmulatorError extends Schema.TaggedError<EmulatorError>()("EmulatorError", {
  status: Schema.Int,
  message: Schema.String,
  problems: Schema.Array(Schema.Struct({ path: Schema.String, message: Schema.String }))
}) {}

/** A request without a response, such as one whose connection a fault reset. */
export class FetchFailed extends Schema.TaggedError<FetchFailed>()("FetchFailed", { message: Schema.String }) {}

type Call = (...args: never) => Promise<unknown>

/** A function of the promise API, or an object of functions, as Effects. */
type Lifted<A> = A extends (...args: infer Args) => Promise<infer Success>
  ? (...args: Args) => Effect.Effect<Success, EmulatorError>
  : { readonly [Key in keyof A]: Lifted<A[Key]> }

type Lifts = Omit<EmulatedWorld, "fetch" | "fork">

type Clock = RunningWorld["clock"]

/** One world and its control plane: `RunningWorld` of the promise API as Effects. */
export interface World extends Lifted<Lifts> {
  readonly id: string
  readonly clock: Lifted<Omit<Clock, "now">> & {
    /** The world's present time. */
    readonly now: Effect.Effect<Date>
  }
  /** Tokens by e-mail address. */
  readonly tokens: Readonly<Record<string, string>>
  /** The world's base URL. Opens a socket on a free port of loopback on first use. */
  readonly url: Effect.Effect<string>
  /** The URL of the world's control plane. Opens the socket as `url` does. */
  readonly control: Effect.Effect<string>
  /** Answers a request without a socket, as `/api/v2/recordings`. An origin is ignored. */
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Effect.Effect<Response, FetchFailed>
  /** Makes an `HttpClient` on `FetchHttpClient.layer` call this world, whatever the origin, without a socket. */
  readonly layerFetch: Layer.Layer<never>
  /** Creates a world with the present state of this one, including its clock and pending work. */
  readonly fork: (options?: { readonly id?: string }) => Effect.Effect<World, EmulatorError>
}

/**
 * An emulator in this process and its default world, as `startEmulator` creates it, closed with the layer. It has its own time:
 * Effect's clock, a `TestClock` included, does not move it.
 */
export class Emulator extends Context.Service<
  Emulator,
  World & {
    /** Creates a world that shares nothing with the others. It ends when it is removed, or with the emulator. */
    readonly createWorld: (start?: NewWorld) => Effect.Effect<World, EmulatorError>
  }
>()("@tapedeck/emulator/Emulator") {
  static readonly layer = (options?: WorldOptions): Layer.Layer<Emulator, EmulatorError> =>
    Layer.effect(
      Emulator,
      Effect.map(
        Effect.acquireRelease(
          attempt(() => startEmulator(options)),
          (running) => Effect.promise(() => running.close())
        ),
        emulatorOf
      )
    )
}

const emulatorOf = (running: RunningEmulator): Emulator["Service"] =>
  Emulator.of({
    ...worldOf(running),
    createWorld: Effect.fn("Emulator.createWorld")((start?: NewWorld) =>
      Effect.map(
        attempt(() => running.createWorld(start)),
        worldOf
      )
    )
  })

/** Getters, because reading `url` or `control` opens the socket. */
const worldOf = (running: RunningWorld): World => {
  const { account, addToFolder, deliveries, fixtures, mails, remove, reset, restore, signIn, snapshot, world } = running
  const { now, ...clockCalls } = running.clock
  return {
    ...lift({ account, addToFolder, deliveries, fixtures, mails, remove, reset, restore, signIn, snapshot, world }),
    clock: { ...lift(clockCalls), now: Effect.sync(now) },
    sinks: lift(running.sinks),
    faults: lift(running.faults),
    videos: lift(running.videos),
    journal: lift(running.journal),
    id: running.id,
    tokens: running.tokens,
    url: Effect.sync(() => running.url),
    control: Effect.sync(() => running.control),
    fetch: Effect.fn("World.fetch")((input, init) => fetched(running, input, init)),
    layerFetch: Layer.succeed(FetchHttpClient.Fetch, running.fetch),
    fork: Effect.fn("World.fork")((options) =>
      Effect.map(
        attempt(() => running.fork(options)),
        worldOf
      )
    )
  }
}

const lift = <Calls extends Readonly<Record<string, Call>>>(calls: Calls): Lifted<Calls> =>
  Object.fromEntries(
    Object.entries(calls).map(([name, call]) => [
      name,
      Effect.fn(`World.${name}`)((...args: ReadonlyArray<unknown>) =>
        attempt(() => (call as (...args: ReadonlyArray<unknown>) => Promise<unknown>)(...args))
      )
    ])
  ) as Lifted<Calls>

/** A refusal is a typed error; any other exception is a defect. */
const attempt = <A>(call: () => Promise<A>): Effect.Effect<A, EmulatorError> =>
  Effect.flatten(
    Effect.promise(() =>
      call().then(
        (value): Effect.Effect<A, EmulatorError> => Effect.succeed(value),
        (error: unknown) =>
          error instanceof Refused
            ? Effect.fail(new EmulatorError({ status: error.status, message: error.message, problems: error.problems }))
            : Effect.die(error)
      )
    )
  )

/** An interruption aborts the request. */
const fetched = ({ fetch }: RunningWorld, input: string | URL | Request, init: RequestInit = {}) =>
  Effect.tryPromise({
    try: (interrupted) => {
      const own = init.signal ?? (input instanceof Request ? input.signal : undefined)
      return fetch(input, { ...init, signal: own ? AbortSignal.any([own, interrupted]) : interrupted })
    },
    catch: (error) => new FetchFailed({ message: error instanceof Error ? error.message : String(error) })
  })
