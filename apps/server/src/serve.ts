import type { Server } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { auditSealer, retentionKeeper } from "@tapedeck/core"
import { makeWorker, type WorkerOptions } from "@tapedeck/dispatcher"
import type { RecordingUuid } from "@tapedeck/domain"
import {
  makeRouteTable,
  RefusalCounter,
  RefusalLimit,
  RequestLog,
  type Root,
  RouteTable,
  respond,
  routeRequests
} from "@tapedeck/http"
import { Effect } from "effect"
import { HttpServer, HttpServerResponse } from "effect/http"
import type { Config } from "./config/Config.ts"
import { makeEdgeServer } from "./edge/edgeServer.ts"
import { behindProxies, makeEdges } from "./edge/edges.ts"
import { homePage } from "./home.ts"
import { signInRoot } from "./signIn/signInRoot.ts"
import { resumableUploads, type UploadOptions } from "./uploads/resumableUploads.ts"
import { type Health, makeHealth, probes } from "./watch/Health.ts"
import { makeWatch } from "./watch/requests.ts"

/** How long answers that are under way may still take once the server is asked to stop; then their connections end. */
const stoppingMs = 10_000

/** Of each address or token (R18). */
const refusalLimit = { maxRefusals: 300, perMs: 60_000, maxKeys: 10_000 }

export interface Served {
  readonly config: Config
  readonly deliveries: Pick<WorkerOptions, "concurrency" | "perHost">
  /** Recordings that the home page names. */
  readonly shown: ReadonlyArray<RecordingUuid>
  readonly uploads: UploadOptions
}

/**
 * Makes deliveries and answers requests until it is interrupted. `onListening` gets the origin. What is under way when it is
 * interrupted ends first, as far as it does so in time; nobody new is let in meanwhile.
 */
export const serve = (served: Served, onListening: (origin: string) => Effect.Effect<void>) =>
  Effect.gen(function* () {
    const { config, deliveries } = served
    const { host, port } = config
    const health = yield* makeHealth
    yield* watchFromOutside(config, health)
    const server = yield* makeEdgeServer(config)
    const answering = Effect.gen(function* () {
      const table =
        config.role === "dispatcher" ? new RouteTable([nothing], probes(health)) : yield* tableOf(served, health)
      const edges = makeEdges(config)
      const { requestLog, watch } = makeWatch(config)
      const app = routeRequests(table, (match) => watch(match, edges(match, respond(match))))
      const listening = HttpServer.serveEffect(behindProxies(app, config))
      yield* listening.pipe(
        Effect.provideService(RequestLog, requestLog),
        Effect.provideService(RefusalLimit, new RefusalCounter(refusalLimit))
      )
      yield* Effect.acquireRelease(health.started, () => Effect.andThen(health.stopping, letGo(server)))
      yield* HttpServer.addressFormattedWith((origin) =>
        onListening(config.tls_cert === undefined ? origin : origin.replace(/^http:/, "https:"))
      )
      return yield* Effect.never
    }).pipe(Effect.scoped, Effect.ensuring(hangUp(server)))
    return yield* Effect.gen(function* () {
      if (config.role !== "api") {
        yield* Effect.forkScoped(Effect.scoped(makeWorker({ ...deliveries, graceMs: stoppingMs })))
        yield* Effect.forkScoped(auditSealer(yield* headsOf(config)))
        yield* Effect.forkScoped(retentionKeeper({ logsMs: config.keep_logs, auditMs: config.keep_audit }))
      }
      return yield* answering
    }).pipe(
      Effect.provide(NodeHttpServer.layer(() => server, { host, port, gracefulShutdownTimeout: stoppingMs })),
      Effect.scoped
    )
  }).pipe(Effect.scoped)

/** What a process that only makes deliveries answers to everything but the probes. */
const nothing: Root = {
  path: "/",
  access: "public",
  version: "v2",
  rules: {},
  isShared: false,
  isStrict: false,
  page: () => HttpServerResponse.empty({ status: 404 })
}

/** The product, uploads in parts, and what people open in a browser. */
const tableOf = Effect.fnUntraced(function* ({ config, shown, uploads }: Served, health: Health) {
  const endpoints = [...probes(health), ...(yield* resumableUploads(uploads)), yield* homePage(shown)]
  return makeRouteTable({ roots: [yield* signInRoot(config)], endpoints })
})

/** Where heads of the audit log are kept, if anywhere. What cannot be read is told at the start. */
const headsOf = Effect.fnUntraced(function* ({ audit_heads: path }: Config) {
  if (path === undefined) return null
  const { headFile, readHeads } = yield* Effect.promise(() => import("./audit/headFile.ts"))
  readHeads(path)
  return headFile(path)
})

/** Metrics, where they are asked for: their modules are loaded only then. */
const watchFromOutside = Effect.fnUntraced(function* (config: Config, health: Health) {
  if (config.metrics_port === undefined) return
  const { metricsServer } = yield* Effect.promise(() => import("./watch/metricsServer.ts"))
  yield* metricsServer(config, health)
})

/** Connections end with the answers that are under way: none is kept for a next request. */
const letGo = (server: Server) =>
  Effect.sync(() => {
    server.keepAliveTimeout = 1
  })

/** On whoever is left: a reader who is slow, or has gone without a word. */
const hangUp = (server: Server) => Effect.sync(() => server.closeAllConnections())
