import {
  type AccessTokens,
  defaultServiceConfig,
  emptyWorld,
  Ids,
  makeMemoryStore,
  RequestIds,
  ServiceConfig,
  type StorageFull,
  type Store,
  type StoreBusy,
  type StoreParts,
  settingsUseCases,
  storeLayer,
  UploadPolicy,
  useCases,
  Vault
} from "@tapedeck/core"
import { parseIso } from "@tapedeck/domain"
import { loadStartDocument } from "@tapedeck/fixtures"
import { Clock, Context, Effect, Layer, Logger, Redacted, Scope } from "effect"
import { HttpEffect } from "effect/http"
import { TestClock } from "effect/testing"
import { AppOptions, defaultAppOptions, makeProductApp, makeRouteTable, type RequestLogEntry } from "../src/index.ts"
import { wholeProduct } from "../src/node/index.ts"
import { fixtures } from "./fixtures.ts"
import { type Received, recordedTestSender } from "./settingsSender.ts"
import { type Answered, checkedBody, type Sent } from "./shapes.ts"

export const startsAt = parseIso("2026-03-01T12:00:00.000Z")!

/** One app for every world of the suite, as in the emulator. */
export const app = makeProductApp(makeRouteTable(wholeProduct))

/** Asks the app without a socket; a request brings its world along. */
export const handler = HttpEffect.toWebHandlerWith<never, Effect.Services<typeof app>>(Context.empty())(app)

type StoreFailure = StorageFull | StoreBusy

/** The store, whose writes die with a failure while there is one. */
const failingStore = (store: Store, failure: () => StoreFailure | null): Store => {
  const written =
    <Args extends ReadonlyArray<unknown>, A>(write: (...args: Args) => Effect.Effect<A>) =>
    (...args: Args) =>
      Effect.suspend(() => {
        const failed = failure()
        return failed === null ? write(...args) : Effect.die(failed)
      })
  return {
    ...store,
    space: { ...store.space, isFull: Effect.sync(() => failure()?._tag === "StorageFull") },
    nextNumber: written(store.nextNumber),
    recordings: {
      ...store.recordings,
      save: written(store.recordings.save),
      countView: written(store.recordings.countView)
    },
    folders: { ...store.folders, save: written(store.folders.save) },
    auditEntries: { ...store.auditEntries, append: written(store.auditEntries.append) },
    rateWindows: { ...store.rateWindows, count: written(store.rateWindows.count) },
    sessions: { ...store.sessions, save: written(store.sessions.save) },
    tryWindows: { ...store.tryWindows, count: written(store.tryWindows.count) }
  }
}

/** A world in memory with the fixtures in it, and the app that it is asked through. */
export const makeWorld = async (
  options: {
    config?: Partial<ServiceConfig["Service"]>
    fixtures?: unknown
    /** What receivers of send-tests do; 200 unless it is said. */
    testAnswer?: () => Received
    unknownContent?: UploadPolicy["Service"]["unknownContent"]
    /** What writes of the store die with now. */
    failure?: () => StoreFailure | null
  } = {}
) => {
  const config = { ...defaultServiceConfig, ...options.config }
  const memory = makeMemoryStore(emptyWorld())
  const ports = Layer.mergeAll(
    storeLayer(failingStore(memory.store, options.failure ?? (() => null))),
    Layer.succeed(ServiceConfig, config),
    Vault.layer(Redacted.make(new Uint8Array(32).fill(7))),
    Ids.layerRandom,
    RequestIds.layerRandom,
    Layer.succeed(UploadPolicy, { unknownContent: options.unknownContent ?? "as_declared" })
  )
  const tests = recordedTestSender(options.testAnswer ?? (() => ({ status: 200 })))
  const services = await Effect.runPromise(
    Effect.gen(function* () {
      return yield* Layer.buildWithScope(
        settingsUseCases.pipe(
          Layer.provideMerge(useCases),
          Layer.provideMerge(tests.layer),
          Layer.provideMerge(ports),
          Layer.provideMerge(TestClock.layer())
        ),
        yield* Scope.make()
      )
    })
  )
  const log: Array<RequestLogEntry> = []
  const defects: Array<string> = []
  const context = services.pipe(
    Context.add(AppOptions, { ...defaultAppOptions, log: (entry) => Effect.sync(() => void log.push(entry)) }),
    Context.add(Logger.CurrentLoggers, new Set([Logger.map(Logger.formatJson, (line) => defects.push(line))])),
    // The clock is a reference, so no layer's type names it; it travels with the context all the same.
    Context.add(Clock.Clock, Context.get(services, Clock.Clock))
  )
  const run = <A, E>(effect: Effect.Effect<A, E, StoreParts | Ids | Vault | AccessTokens>) =>
    Effect.runPromise(Effect.provideContext(effect, context))

  await run(TestClock.setTime(startsAt))
  await run(loadStartDocument(options.fixtures ?? fixtures, { vendor: config.vendor, allowHttp: false }))

  const fetch = (path: string, sent: Sent = {}) => {
    const { as = "ada", method = sent.json === undefined ? "GET" : "PATCH" } = sent
    const headers = {
      ...(as === null ? {} : { authorization: `Bearer ${as}-token` }),
      ...(sent.json === undefined ? {} : { "content-type": "application/json" }),
      ...sent.headers
    }
    const body = sent.json === undefined ? sent.body : JSON.stringify(sent.json)
    // `duplex` is asked for where a body is a stream.
    const init = { method, headers, ...(body !== undefined && { body, duplex: "half" as const }) }
    const request = new Request(`http://localhost${path}`, init)
    return handler(request, context)
  }

  return {
    memory,
    sentTests: tests.sent,
    log,
    /** What was logged, a line of JSON each. */
    defects,
    run,
    context,
    fetch,
    /** Sends a request; its answer's status, headers, and body, which is checked against the contract. */
    ask: async (path: string, sent: Sent = {}): Promise<Answered> => {
      const response = await fetch(path, sent)
      return { status: response.status, headers: response.headers, body: await checkedBody(path, sent, response) }
    },
    /** Lets the world's time pass. */
    wait: (ms: number) => run(TestClock.adjust(ms))
  }
}

export type TestWorld = Awaited<ReturnType<typeof makeWorld>>
