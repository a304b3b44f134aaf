// Compiles the schemas when they are first used.
import "effect/schema/SchemaJITCompiler/enable"
import type { IncomingMessage, Server } from "node:http"
import type { Socket } from "node:net"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import {
  auditSealer,
  ChangeWatch,
  deliveryQueue,
  jobHandlers,
  makeJobRunner,
  makeRetention,
  ResumableUploads,
  repeating,
  retryStoreCall,
  ServiceConfig,
  scheduleRepeating
} from "@tapedeck/core"
import { makeDispatcher, makeWorker, type WorkerOptions } from "@tapedeck/dispatcher"
import type { DeliveryQueue } from "@tapedeck/domain/delivery"
import {
  AppOptions,
  defaultAppOptions,
  makeRouteTable,
  RefusalCounter,
  type Root,
  RouteTable,
  respond,
  routeRequests
} from "@tapedeck/http"
import { wholeProduct } from "@tapedeck/http/node"
import { Effect } from "effect"
import { HttpServer, HttpServerResponse } from "effect/http"
import { type Config, hasMail, hasMetrics, isExported } from "../config/Config.ts"
import type { MediaOptions } from "../media/media.ts"
import { traceStages, watchAttempts } from "../observe/attempts.ts"
import { type Health, makeHealth, probes } from "../observe/Health.ts"
import { watchRun } from "../observe/jobs.ts"
import { makeWatch } from "../observe/requests.ts"
import { signInRoot } from "../signIn/signInRoot.ts"
import { consoleEndpoints } from "./console.ts"
import { belowPath } from "./edge/belowPath.ts"
import { makeEdgeServer } from "./edge/edgeServer.ts"
import { makeEdges } from "./edge/edges.ts"
import { behindProxies } from "./edge/forwarded.ts"
import { basePathOf } from "./serviceConfig.ts"

/** Maximum time for responses in flight when the server stops; then their connections are closed. */
const stoppingMs = 10_000

/** Limit of refused requests for each address or token (R18). */
const refusalLimit = { maxRefusals: 300, perMs: 60_000, maxKeys: 10_000 }

export interface Served {
  readonly config: Config
  readonly deliveries: Pick<WorkerOptions, "concurrency" | "perHost">
  readonly media: MediaOptions
  /** The folder of files in progress; null for a store in memory. */
  readonly temporary: string | null
}

/**
 * Makes deliveries and answers requests until it is interrupted. `onListening` gets the origin. On an interruption it accepts no
 * new request, and waits for requests and deliveries in flight, for a limited time.
 */
export const serve = (served: Served, onListening: (origin: string) => Effect.Effect<void>) =>
  Effect.gen(function* () {
    const { config } = served
    const { host, port } = config
    const health = yield* makeHealth
    yield* watchFromOutside(served, health)
    const server = yield* makeEdgeServer(config)
    const unused = unusedConnections(server, config.tls_cert !== undefined)
    const watched = yield* ChangeWatch
    const answering = Effect.gen(function* () {
      const table =
        config.role === "dispatcher" ? new RouteTable([nothing], probes(health)) : yield* tableOf(config, health)
      const edges = makeEdges(config)
      const { requestLog, start, watch } = makeWatch(config)
      yield* start(table)
      const app = routeRequests(table, (match) => watch(match, edges(match, respond(match))))
      const basePath = basePathOf(config)
      const listening = HttpServer.serveEffect(behindProxies(belowPath(app, basePath), config))
      yield* Effect.provideService(listening, AppOptions, {
        ...defaultAppOptions,
        basePath,
        log: requestLog,
        refusals: new RefusalCounter(refusalLimit)
      })
      yield* Effect.acquireRelease(health.started, () =>
        Effect.andThen(
          health.stopping,
          Effect.andThen(
            Effect.sync(() => watched.log.end()),
            letGo(server, unused)
          )
        )
      )
      yield* HttpServer.addressFormattedWith((origin) =>
        onListening(config.tls_cert === undefined ? origin : origin.replace(/^http:/, "https:"))
      )
      return yield* Effect.never
    }).pipe(Effect.scoped, Effect.ensuring(hangUp(server)))
    return yield* Effect.gen(function* () {
      if (config.role !== "api") {
        yield* Effect.forkScoped(working(served))
        yield* Effect.forkScoped(auditSealer(yield* headsOf(config)))
      }
      return yield* answering
    }).pipe(
      Effect.provide(NodeHttpServer.layer(() => server, { host, port, gracefulShutdownTimeout: stoppingMs })),
      Effect.scoped
    )
  }).pipe(Effect.scoped)

/** Maximum number of concurrent jobs of one process, by pool. That of media jobs is a setting. */
const slots = { mail: 4, capture: 4, step: 1, upkeep: 1 }

/** Makes deliveries and runs jobs until it is interrupted. */
const working = ({ config, deliveries, media }: Served) =>
  Effect.gen(function* () {
    const options = yield* ServiceConfig
    const make = (queue: DeliveryQueue) => makeDispatcher(queue, options)
    const { mediaHandlers } = yield* Effect.promise(() => import("../media/media.ts"))
    const upkeep = {
      retention: repeating(makeRetention({ logsMs: config.keep_logs, auditMs: config.keep_audit })),
      sweep: repeating(Effect.asVoid((yield* ResumableUploads).sweep))
    }
    const handlers = { ...(yield* jobHandlers), ...(yield* mediaHandlers(media)), ...upkeep }
    const jobs = yield* makeJobRunner(
      handlers,
      { ...slots, mail: hasMail(config) ? slots.mail : 0, media: media.concurrency },
      hasMetrics(config) ? watchRun : undefined
    )
    yield* retryStoreCall(Effect.as(scheduleRepeating, true), { step: "scheduling the jobs that repeat" })
    const queue = yield* deliveryQueue(jobs)
    const dispatcher = yield* isExported(config, "traces") ? traceStages(queue, make) : make(queue)
    const steps = { kinds: ["job"], take: jobs.start }
    // `watchAttempts` reports attempts, with the product's ids and within their spans.
    const own = { steps, graceMs: stoppingMs, onAttempt: null }
    return yield* makeWorker(watchAttempts(dispatcher, config), { ...deliveries, ...own })
  }).pipe(Effect.scoped)

/** A process that only makes deliveries answers 404 to everything but the probes. */
const nothing: Root = {
  path: "/",
  access: "public",
  version: "v2",
  rules: {},
  isShared: false,
  isStrict: false,
  page: () => HttpServerResponse.empty({ status: 404 })
}

/** The route table of the product, with pages for browsers. */
const tableOf = Effect.fnUntraced(function* (config: Config, health: Health) {
  return makeRouteTable({
    roots: [...wholeProduct.roots, yield* signInRoot(config)],
    endpoints: [...wholeProduct.endpoints, ...probes(health), ...consoleEndpoints]
  })
})

/** The file of the audit chains' heads, if it is set. */
const headsOf = Effect.fnUntraced(function* ({ audit_heads: path }: Config) {
  if (path === undefined) return null
  const { headFile } = yield* Effect.promise(() => import("../doctor/audit/headFile.ts"))
  return headFile(path)
})

/** Serves and exports metrics if configured, and loads their modules only then. */
const watchFromOutside = Effect.fnUntraced(function* ({ config, temporary }: Served, health: Health) {
  if (!hasMetrics(config)) return
  const { makeMetrics } = yield* Effect.promise(() => import("../observe/metrics.ts"))
  const update = yield* makeMetrics(temporary)
  if (config.metrics_port !== undefined) {
    const { metricsServer } = yield* Effect.promise(() => import("../observe/metricsServer.ts"))
    yield* metricsServer(config, health, update)
  }
  if (isExported(config, "metrics")) {
    const { exportMetrics } = yield* Effect.promise(() => import("../observe/otlp/metrics.ts"))
    yield* exportMetrics(config, update)
  }
})

/** Connections without a request so far. Browsers open some in advance, and Node counts them as active when it closes. */
const unusedConnections = (server: Server, isTls: boolean): ReadonlySet<Socket> => {
  const unused = new Set<Socket>()
  server.on(isTls ? "secureConnection" : "connection", (socket: Socket) => {
    unused.add(socket)
    socket.once("close", () => unused.delete(socket))
  })
  for (const event of ["request", "checkContinue"]) {
    server.on(event, ({ socket }: IncomingMessage) => unused.delete(socket))
  }
  return unused
}

/** Unused connections close at once, the others after their responses in flight. */
const letGo = (server: Server, unused: ReadonlySet<Socket>) =>
  Effect.sync(() => {
    server.keepAliveTimeout = 1
    for (const socket of unused) socket.destroy()
  })

/** Closes the remaining connections, of clients that are slow or have disconnected. */
const hangUp = (server: Server) => Effect.sync(() => server.closeAllConnections())
