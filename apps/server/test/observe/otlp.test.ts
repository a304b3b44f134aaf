import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { Cause, ConfigProvider, Deferred, Effect, Exit, Fiber, Layer, Logger, Metric } from "effect"
import { HttpBody, HttpClient, HttpClientRequest, HttpClientResponse } from "effect/http"
import type { LogsData } from "effect/observability/OtlpLogger"
import { formatUnsafe } from "effect/observability/PrometheusMetrics"
import { TestClock } from "effect/testing"
import { describe, expect, onTestFinished, test } from "vitest"
import { entryOf, jsonLine } from "../../src/observe/log.ts"
import { exporterOptions } from "../../src/observe/otlp/exporter.ts"
import { layerLogs } from "../../src/observe/otlp/logs.ts"
import { limits, makeTransport } from "../../src/observe/otlp/transport.ts"

/** Runs with metrics and log lines of its own. */
const run = <A, E>(program: (log: ReadonlyArray<string>) => Effect.Effect<A, E>) => {
  const lines: Array<string> = []
  const logger = Logger.make((options) => void lines.push(jsonLine(entryOf(options))))
  return Effect.runPromise(
    program(lines).pipe(Effect.provideService(Metric.MetricRegistry, new Map()), Effect.provide(Logger.layer([logger])))
  )
}

const itemsOf = (outcome: string) =>
  Effect.map(Effect.context<never>(), (context) => {
    const series = `tapedeck_otlp_items_total{signal="logs",outcome="${outcome}"} `
    const line = formatUnsafe(context)
      .split("\n")
      .find((one) => one.startsWith(series))
    return Number(line?.slice(series.length) ?? 0)
  })

/** Takes data as a collector does. An attempt is answered with a status, or redirected. */
const listening = async (answer: (attempt: number) => number | string) => {
  const bodies: Array<string> = []
  const server = createServer((request, response) => {
    let text = ""
    request.setEncoding("utf8").on("data", (piece: string) => {
      text += piece
    })
    request.on("end", () => {
      const told = answer(bodies.push(text))
      if (typeof told === "string") response.writeHead(307, { location: told }).end()
      else response.writeHead(told).end("{}")
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => void server.close())
  return { bodies, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

type Answer = (attempt: number) => Effect.Effect<Response>

/** A transport before a collector, and a function that exports a body of this size with two log lines. */
const transportTo = Effect.fnUntraced(function* (answer: Answer) {
  let attempts = 0
  const collector = HttpClient.make((request) => {
    attempts += 1
    return Effect.map(answer(attempts), (response) => HttpClientResponse.fromWeb(request, response))
  })
  const counts = new WeakMap<HttpBody.HttpBody, number>()
  const client = yield* Effect.provideService(makeTransport("logs", counts), HttpClient.HttpClient, collector)
  const send = (sizeBytes: number) => {
    const body = HttpBody.text("x".repeat(sizeBytes))
    counts.set(body, 2)
    return Effect.asVoid(client.execute(HttpClientRequest.setBody(HttpClientRequest.post("http://a/v1/logs"), body)))
  }
  return { attempts: () => attempts, send }
})

const accepted = Effect.sync(() => new Response("{}"))

describe("What waits for a collector that does not answer", () => {
  test("is 4 MiB at most, delays no caller, and is counted beyond that as dropped", () =>
    run(() =>
      Effect.gen(function* () {
        const gate = yield* Deferred.make<void>()
        yield* Effect.scoped(
          Effect.gen(function* () {
            const { send } = yield* transportTo(() => Effect.andThen(Deferred.await(gate), accepted))
            const half = limits.waitingBytes / 2
            yield* send(half)
            yield* send(half)
            expect(yield* itemsOf("dropped")).toBe(0)
            yield* send(1)
            expect(yield* itemsOf("dropped")).toBe(2)
            yield* Deferred.succeed(gate, undefined)
          })
        )
        expect([yield* itemsOf("sent"), yield* itemsOf("dropped")]).toEqual([4, 2])
      })
    ))

  test("is sent 5 times, for 10 s each, and then counted as failed, with one warning until the collector accepts data", () =>
    run((log) =>
      Effect.gen(function* () {
        const { attempts, send } = yield* transportTo((attempt) => (attempt <= 10 ? Effect.never : accepted))
        for (let count = 0; count < 3; count += 1) yield* send(1)
        yield* TestClock.adjust("65 seconds")
        expect([attempts(), yield* itemsOf("failed")]).toEqual([6, 2])
        yield* TestClock.adjust("65 seconds")
        expect([attempts(), yield* itemsOf("failed"), yield* itemsOf("sent")]).toEqual([11, 4, 2])
        expect(log.map((line) => JSON.parse(line) as object)).toMatchObject([
          {
            level: "warn",
            message: "collector did not accept data",
            signal: "logs",
            reason: "no response within 10 s"
          },
          { level: "info", message: "collector accepts data again", signal: "logs" }
        ])
      }).pipe(Effect.scoped, Effect.provide(TestClock.layer()))
    ))

  test("delays the stop by 1 s at most", () =>
    run(() =>
      Effect.gen(function* () {
        const stopping = yield* Effect.forkChild(
          Effect.scoped(
            Effect.flatMap(
              transportTo(() => Effect.never),
              ({ send }) => send(1)
            )
          )
        )
        yield* TestClock.adjust(limits.stopMs)
        expect(Exit.isSuccess(yield* Fiber.await(stopping))).toBe(true)
      }).pipe(Effect.provide(TestClock.layer()))
    ))
})

describe("A collector", () => {
  test("that refuses data gets it once", () =>
    run((log) =>
      Effect.gen(function* () {
        const { attempts, send } = yield* transportTo(() => Effect.sync(() => new Response("", { status: 404 })))
        yield* Effect.scoped(send(1))
        yield* TestClock.adjust("1 minute")
        expect([attempts(), yield* itemsOf("failed")]).toEqual([1, 2])
        expect(log[0]).toContain('"reason":"status 404"')
      }).pipe(Effect.scoped, Effect.provide(TestClock.layer()))
    ))

  test("gets log lines as records, with their secrets redacted as in the log, and its headers go to no other host", async () => {
    const elsewhere = await listening(() => 200)
    const collector = await listening((attempt) => (attempt === 1 ? elsewhere.url : 200))
    const config = { otlp_endpoint: collector.url, otlp_headers: { "x-key": "open-sesame" } }
    const token = "tdk_0123456789abcdefghijklmnopqrstuvwxyz0123456789"
    const url = `https://ann:pass%40word@crm.test/hook?key=planted&token=${token}`
    const line = (number: number) =>
      Effect.logError(`request ${number} to ${url} failed`, { delivery_id: "d1" }, Cause.die(new Error(`GET ${url}`)))
    const log = (number: number) =>
      Effect.runPromise(Effect.provide(line(number), Layer.provide(layerLogs(config), Logger.layer([]))))
    await log(1)
    await log(2)
    expect(elsewhere.bodies).toEqual([])
    const text = collector.bodies.join("\n")
    for (const secret of [token, "planted", "pass%40word"]) expect(text).not.toContain(secret)
    const { resourceLogs } = JSON.parse(collector.bodies[1] ?? "") as LogsData
    const attributes = resourceLogs[0]?.scopeLogs[0]?.logRecords?.[0]
    expect(attributes).toMatchObject({
      severityNumber: 17,
      severityText: "ERROR",
      body: { stringValue: "request 2 to https://***@crm.test/hook?*** failed" },
      attributes: [
        { key: "delivery_id", value: { stringValue: "d1" } },
        { key: "exception.type", value: { stringValue: "Error" } },
        { key: "exception.message", value: { stringValue: "GET https://***@crm.test/hook?***" } },
        { key: "exception.stacktrace", value: { stringValue: expect.stringContaining("otlp.test") } }
      ]
    })
  })

  test("is not used if the attributes in the environment are malformed, and the error names their variable", async () => {
    const environment = ConfigProvider.fromEnv({ env: { OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=%zz" } })
    const options = exporterOptions({ otlp_endpoint: "http://127.0.0.1:1", otlp_headers: undefined }, "logs")
    await expect(
      Effect.runPromise(Effect.provideService(options, ConfigProvider.ConfigProvider, environment))
    ).rejects.toThrow(/OTEL_RESOURCE_ATTRIBUTES: must be name=value/)
  })

  test("gets what waits when the server stops", () =>
    run(() =>
      Effect.gen(function* () {
        yield* Effect.scoped(
          Effect.flatMap(
            transportTo(() => accepted),
            ({ send }) => Effect.andThen(send(1), send(1))
          )
        )
        expect(yield* itemsOf("sent")).toBe(4)
      })
    ))
})
