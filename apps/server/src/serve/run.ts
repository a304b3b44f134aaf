import { flushCompileCache } from "node:module"
import {
  type AccessTokens,
  Administration,
  type AuditLog,
  type Ids,
  ServiceConfig,
  SignInLinks,
  type StoreParts,
  storeOf
} from "@tapedeck/core"
import { Cause, Effect, Exit, Fiber, Layer, References } from "effect"
import packageJson from "../../package.json" with { type: "json" }
import { banner } from "../cli/banner.ts"
import type { StartOptions } from "../cli/commandLine.ts"
import { stopOnSignals } from "../cli/signals.ts"
import { exitCodes } from "../cli/usage.ts"
import { type Config, isExported, underWritten, unknownVariables, type Written } from "../config/Config.ts"
import { type DataDirectory, openDataDirectory } from "../config/dataDirectory.ts"
import { findKey } from "../config/key/findKey.ts"
import { finishRotation } from "../config/key/finishRotation.ts"
import { generateKey } from "../config/key/keyText.ts"
import { readStartConfig } from "../config/startConfig.ts"
import { mediaOptionsOf } from "../media/mediaOptions.ts"
import { layerLog } from "../observe/log.ts"
import { administered } from "./operator/administration.ts"
import { listenForOperator } from "./operator/listen.ts"
import { services } from "./Program.ts"
import { serve } from "./serve.ts"
import type { Listening } from "./serviceConfig.ts"
import { checkClock } from "./start/checkClock.ts"
import type { StartData } from "./start/fixtures.ts"
import { loadOnce } from "./start/load.ts"

/**
 * Maximum time from a signal to the end of the process, in milliseconds. Responses and deliveries in flight have ten seconds each;
 * longer waits are for a database or a disk that does not respond.
 */
const stopMs = 25_000

/** Runs the server until a signal stops it. Fails before it listens, with an error that `cli/explain.ts` explains. */
export const run = async (written: Written, start: StartOptions): Promise<void> => {
  const signals = stopOnSignals(exitCodes.stopped)
  const fiber = Effect.runFork(server(written, start, signals))
  const exit = await Effect.runPromise(Fiber.await(fiber))
  if (Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)) throw Cause.squash(exit.cause)
}

const server = Effect.fnUntraced(function* (written: Written, start: StartOptions, signals: Signals) {
  const ofSettings = readStartConfig(written)
  const data = yield* startDataOf(start)
  const config = underWritten(written, ofSettings, data?.config ?? {})
  return yield* Effect.gen(function* () {
    yield* stopOn(signals)
    return yield* Effect.scoped(configured(config, written, { data, start }))
  }).pipe(
    Effect.onInterrupt(() => Effect.logInfo("stopped")),
    Effect.provide(yield* logOf(config))
  )
})

type Signals = ReturnType<typeof stopOnSignals>

/** Interrupts this fiber on a signal. A lease that is not given back in time ends by itself, so nothing is lost. */
const stopOn = ({ onStop }: Signals) =>
  Effect.withFiber((fiber) =>
    Effect.sync(() => {
      const log = Effect.runSyncWith(fiber.context)
      onStop((signal) => {
        log(Effect.logInfo("stopping", { signal }))
        fiber.interruptUnsafe()
        setTimeout(() => {
          log(Effect.logError("stopped", { reason: "the store did not respond", after_ms: stopMs }))
          process.exit(exitCodes.stopped)
        }, stopMs).unref()
      })
    })
  )

const configured = Effect.fnUntraced(function* (
  config: Config,
  written: Written,
  { data, start }: Pick<Answering, "data" | "start">
) {
  for (const reason of unknownVariables(written.environment)) yield* Effect.logWarning("variable ignored", { reason })
  const { directory, key } = yield* placeOf(config, written)
  const listening = { port: config.port }
  const layers = Layer.provideMerge(services(config, key, directory, listening), yield* tracesOf(config))
  return yield* Effect.provide(Effect.scoped(answering(config, { data, directory, listening, start })), layers)
})

/** The log, on standard error and, if configured, at a collector. Loads the exporter only then. */
const logOf = Effect.fnUntraced(function* (config: Config) {
  if (!isExported(config, "logs")) return layerLog(config)
  const { layerLogs } = yield* Effect.promise(() => import("../observe/otlp/logs.ts"))
  return Layer.provideMerge(layerLogs(config), layerLog(config))
})

/** Exports spans if a collector is configured, and loads the exporter only then. Otherwise creates no spans. */
const tracesOf = Effect.fnUntraced(function* (config: Config) {
  if (!isExported(config, "traces")) return Layer.succeed(References.TracerEnabled, false)
  const { layerTraces } = yield* Effect.promise(() => import("../observe/otlp/traces.ts"))
  return layerTraces(config)
})

/** The start data, if any. Loads their modules only then. */
const startDataOf = Effect.fnUntraced(function* ({ demo, fixtures }: StartOptions) {
  if (demo) return (yield* Effect.promise(() => import("./start/demo.ts"))).demoData
  if (fixtures === undefined) return undefined
  const { readFixtures } = yield* Effect.promise(() => import("./start/fixtures.ts"))
  return yield* readFixtures(fixtures)
})

/** The data directory and its key; a store in memory gets a random key. */
const placeOf = Effect.fnUntraced(function* (config: Config, { environment }: Written) {
  if (config.store === "memory") return { directory: null, key: generateKey() }
  const directory = openDataDirectory(config.data)
  yield* Effect.promise(() => finishRotation(directory))
  const { key } = findKey(environment, directory)
  if (config.database_url === undefined) return { directory, key }
  const { withNodeFolder } = yield* Effect.promise(() => import("./nodeFolder.ts"))
  return { directory: yield* withNodeFolder(directory), key }
})

interface Answering {
  readonly data: StartData | undefined
  readonly directory: DataDirectory | null
  readonly listening: Listening
  readonly start: StartOptions
}

const answering = Effect.fnUntraced(function* (config: Config, { data, directory, listening, start }: Answering) {
  const loaded = data === undefined ? undefined : yield* loadOnce(data, config.vendor)
  const shown = yield* shownOf(data)
  yield* checkClock
  const context = yield* Effect.context<AccessTokens | AuditLog | Ids | ServiceConfig | SignInLinks | StoreParts>()
  const deliveries = { concurrency: config.concurrency, perHost: config.concurrency_per_host }
  if (directory !== null && config.database_url === undefined) yield* listenForOperator(directory)
  const media = mediaOptionsOf(config, directory)
  return yield* serve({ config, deliveries, media, temporary: directory?.temporary ?? null }, (base_url) =>
    Effect.gen(function* () {
      listening.port = Number(new URL(base_url).port) || config.port
      const view = {
        version: packageJson.version,
        base_url,
        public_url: (yield* ServiceConfig).publicUrl,
        store: config.database_url === undefined ? config.store : ("postgres" as const),
        data: directory?.path ?? null,
        tokens: loaded?.tokens ?? {}
      }
      process.stdout.on("error", () => {}) // The reader is gone.
      const { role } = config
      // A dispatcher has no sign-in page.
      const setup = start.json || role === "dispatcher" ? null : yield* setUpLink
      const admin = start.json || role === "dispatcher" ? null : (data?.admin ?? null)
      const signIn = admin === null ? null : yield* signInLink(admin)
      const text = banner({ view, role, isNew: loaded?.isNew, recording: shown[0], setup, signIn })
      process.stdout.write(start.json ? `${JSON.stringify(view)}\n` : text)
      const { public_url, store, version } = view
      yield* Effect.logInfo("listening", { address: base_url, public_url, version, role, store })
    }).pipe(Effect.provideContext(context), Effect.andThen(keepCompiled))
  )
})

/**
 * Writes the compile cache for the next start. Node does it at an exit, but not when the process is killed. Waits until the
 * first requests have been answered.
 */
const keepCompiled = Effect.forkChild(Effect.delay(Effect.sync(flushCompileCache), "2 seconds"))

/** The link that creates the first admin of a new server; null if an admin exists. It is printed to standard output only. */
const setUpLink = Effect.gen(function* () {
  const [{ transaction }, links] = [yield* storeOf("transaction"), yield* SignInLinks]
  if (!(yield* links.isNew)) return null
  const link = yield* transaction(links.issue(null, "setup"))
  return link === null ? null : link.url
})

/** A link that signs this user in, once; null where no active user has the address. It is printed to standard output only. */
const signInLink = (email: string) =>
  administered({ operation: "create_link", input: { email } }).pipe(
    Effect.match({ onSuccess: ({ link }) => link.url, onFailure: () => null }),
    Effect.provide(Administration.layer)
  )

/** The recordings of the start data that still exist. */
const shownOf = Effect.fnUntraced(function* (data: StartData | undefined) {
  const { recordings } = yield* storeOf("recordings")
  const found = yield* Effect.forEach(data?.shown ?? [], recordings.byUuid)
  return found.flatMap((recording) => (recording === undefined ? [] : [recording.uuid]))
})
