import { createServer } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { splitTarget } from "@tapedeck/http"
import { Effect } from "effect"
import { HttpServer, HttpServerRequest, HttpServerResponse } from "effect/http"
import { formatUnsafe } from "effect/observability/PrometheusMetrics"
import { type Config, ConfigInvalid } from "../config/Config.ts"
import { type Health, probes } from "./Health.ts"

const metricsText = Effect.map(Effect.context<never>(), (context) =>
  HttpServerResponse.text(formatUnsafe(context), { contentType: "text/plain; version=0.0.4; charset=utf-8" })
)

/**
 * `/metrics` for Prometheus, and the probes, on a separate port that closes after the API's, so that a monitor sees the stop.
 * Neither has authentication. `update` updates the metrics that are computed when they are read.
 */
export const metricsServer = Effect.fnUntraced(function* (
  { metrics_host, metrics_port }: Pick<Config, "metrics_host" | "metrics_port">,
  health: Health,
  update: Effect.Effect<void>
) {
  const server = yield* NodeHttpServer.make(() => createServer(), {
    host: metrics_host,
    port: metrics_port,
    disablePreemptiveShutdown: true
  }).pipe(
    Effect.mapError(({ cause }) => {
      const { message } = cause as Error
      return new ConfigInvalid([{ names: ["metrics_host", "metrics_port"], text: message }])
    })
  )
  const ofProbes = probes(health).map(({ answer, path }): [string, ReturnType<typeof answer>] => [path, answer()])
  const answers = new Map([...ofProbes, ["/metrics", Effect.andThen(update, metricsText)] as const])
  const app = Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ method, url }) => {
    const answer = method === "GET" || method === "HEAD" ? answers.get(splitTarget(url).path) : undefined
    return answer ?? Effect.succeed(HttpServerResponse.empty({ status: 404 }))
  })
  yield* server.serve(app)
  yield* Effect.logInfo("metrics served", { address: `${HttpServer.formatAddress(server.address)}/metrics` })
})
