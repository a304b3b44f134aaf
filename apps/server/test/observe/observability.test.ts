import { writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { createServer as createTlsServer } from "node:https"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, expect, onTestFinished, test } from "vitest"
import { declaredMetrics } from "../../src/observe/declaredMetrics.ts"
import { first } from "../support/certificates.ts"
import { attributesOf, collector, type Span } from "../support/collector.ts"
import { listening, said, temporaryFolder } from "../support/command.ts"
import { adminToken, asAdmin, recording, startedWith } from "../support/people.ts"
import { dial } from "../support/raw.ts"

/** Takes deliveries, with a certificate that has to be trusted by hand. */
const receiver = async (status: number) => {
  const server = createTlsServer(first, (request, response) => {
    request.resume().once("end", () => response.writeHead(status).end())
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => void server.close())
  const file = join(temporaryFolder(), "ca.pem")
  writeFileSync(file, first.cert)
  return {
    url: `https://localhost:${(server.address() as AddressInfo).port}/hook?key=planted-in-url`,
    options: ["--ca-file", file, "--allow-receivers", "127.0.0.1,::1"]
  }
}

const metricsAt = async (server: Awaited<ReturnType<typeof listening>>) => {
  const line = await said(server, "metrics served")
  const url = /http:[^"]+(?=\/metrics)/.exec(line)?.[0] ?? ""
  return { url, text: async () => (await fetch(`${url}/metrics`)).text() }
}

const valueOf = (text: string, series: string): number | undefined => {
  const line = text.split("\n").find((one) => one.startsWith(`${series} `))
  return line === undefined ? undefined : Number(line.slice(series.length + 1))
}

/** Secrets, one in each place that can contain one. */
const planted = {
  header: "planted-in-header",
  query: "planted-in-query",
  destination: "planted-in-destination-header",
  secret: "planted-destination-secret-0123456789"
}

/** One server that did a request, a refusal and an attempt, and all that it told of them. */
const watch = async () => {
  const { options, url } = await receiver(500)
  const collected = await collector()
  const document = {
    audit_destinations: [{ name: "SIEM", url, secret: planted.secret, headers: { "X-Api-Key": planted.destination } }]
  }
  const store = ["--store", "sqlite", "--data", join(temporaryFolder(), "data")]
  const own = [...store, "--metrics-port", "0", "--access-log", "on", "--otlp-endpoint", collected.url]
  const server = await listening([...startedWith(document), ...own, ...options], {
    TAPEDECK_OTLP_HEADERS: "x-collector-key=open-sesame",
    OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=staging"
  })
  const { text } = await metricsAt(server)
  const api = `${server.view.base_url}/api/v2`
  const updated = await fetch(`${api}/recordings/${recording}?secret=${planted.query}`, {
    method: "PATCH",
    headers: {
      ...asAdmin,
      cookie: `session=${planted.header}`,
      "x-secret": planted.header,
      "content-type": "application/json"
    },
    body: JSON.stringify({ recording: { title: "Two" } })
  })
  expect(updated.status).toBe(200)
  const requestId = updated.headers.get("x-request-id") ?? ""
  const refused = await fetch(`${api}/nothing?token=${adminToken}`, {
    headers: { authorization: `Bearer ${planted.header}` }
  })
  expect(refused.status).toBe(401)
  const refusedId = refused.headers.get("x-request-id") ?? ""
  await fetch(`${server.view.base_url}/api/settings/sign-in`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: server.view.base_url },
    body: JSON.stringify({ email: "unknown@acme.test", password: "not-a-password" })
  })
  await said(server, '"attempt"')
  await said(server, refusedId)
  const metrics = await text()
  const [spanOfRequest, spanOfAttempt] = await Promise.all([
    collected.found("PATCH /api/v2/recordings/:uuid"),
    collected.found("deliver audit")
  ])
  await server.stop()
  const logs = server.output.err
  const lines = logs
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)
  const exported = collected.bodies.map(({ text }) => text).join("\n")
  return { logs, lines, metrics, exported, requestId, refusedId, spanOfRequest, spanOfAttempt, collected }
}

describe("A server with metrics, logs and traces", () => {
  let watched: ReturnType<typeof watch> | undefined
  const told = () => {
    watched ??= watch()
    return watched
  }

  test("counts requests by route, method and class of status, and their durations", async () => {
    const { metrics } = await told()
    const updated = 'route="/api/v2/recordings/:uuid",method="PATCH"'
    expect(valueOf(metrics, `tapedeck_http_requests_total{${updated},status="2xx"}`)).toBe(1)
    expect(valueOf(metrics, 'tapedeck_http_requests_total{route="other",method="GET",status="4xx"}')).toBe(1)
    expect(valueOf(metrics, `tapedeck_http_request_duration_seconds_count{${updated}}`)).toBe(1)
    expect(valueOf(metrics, `tapedeck_http_request_duration_seconds_bucket{${updated},le="+Inf"}`)).toBe(1)
    expect(metrics).not.toContain(recording)
  })

  test("counts attempts by outcome, their durations, and waiting deliveries", async () => {
    const { metrics } = await told()
    expect(valueOf(metrics, 'tapedeck_delivery_attempts_total{kind="audit",outcome="failure"}')).toBe(1)
    expect(valueOf(metrics, 'tapedeck_delivery_attempt_duration_seconds_count{kind="audit"}')).toBe(1)
    expect(valueOf(metrics, "tapedeck_deliveries_in_flight")).toBe(0)
    const queued = ["scheduled", "waiting", "attempting"].map((state) =>
      valueOf(metrics, `tapedeck_deliveries{state="${state}"}`)
    )
    expect(queued).toEqual([0, 1, 0])
    expect(valueOf(metrics, "tapedeck_deliveries_oldest_due_seconds")).toBe(0)
  })

  test("counts refused sign-ins, and the jobs that repeat", async () => {
    const { metrics } = await told()
    expect(valueOf(metrics, 'tapedeck_sign_ins_failed_total{method="password",reason="refused"}')).toBe(1)
    expect(valueOf(metrics, 'tapedeck_jobs{kind="retention",state="waiting"}')).toBeDefined()
    expect(valueOf(metrics, 'tapedeck_job_duration_seconds_count{kind="sweep"}')).toBeDefined()
  })

  test("has the version, memory and processor time of the process in its metrics", async () => {
    const { metrics } = await told()
    expect(metrics).toMatch(/^tapedeck_build_info\{version="[^"]+",node="v\d+\.[^"]+"\} 1$/m)
    expect(valueOf(metrics, "process_resident_memory_bytes")).toBeGreaterThan(10_000_000)
    expect(valueOf(metrics, "process_uptime_seconds")).toBeGreaterThan(0)
    expect(valueOf(metrics, "process_cpu_seconds_total")).toBeGreaterThan(0)
    expect(valueOf(metrics, "nodejs_eventloop_lag_p99_seconds")).toBeGreaterThanOrEqual(0)
    expect(metrics).toContain("# TYPE process_cpu_seconds_total counter")
  })

  test("logs each request, by its id and account, and each attempt, by its delivery", async () => {
    const { lines, refusedId, requestId } = await told()
    expect(lines.find((line) => line.request_id === requestId)).toMatchObject({
      level: "info",
      message: "request",
      account_id: 1,
      method: "PATCH",
      path: `/api/v2/recordings/${recording}`,
      route: "/api/v2/recordings/:uuid",
      status: 200,
      ip_address: "127.0.0.1"
    })
    expect(lines.find((line) => line.request_id === refusedId)).toMatchObject({ status: 401, route: "other" })
    expect(lines.find((line) => line.message === "attempt")).toMatchObject({
      delivery_id: expect.any(String),
      account_id: 1,
      destination_id: expect.anything(),
      kind: "audit",
      attempt: 1,
      host: expect.stringMatching(/^localhost:\d+$/),
      outcome: "failure",
      status: 500,
      state: "waiting"
    })
    for (const line of lines) expect(Object.keys(line).slice(0, 3)).toEqual(["time", "level", "message"])
  })

  test("exports traces of requests and attempts with their ids and the collector's headers", async () => {
    const { collected, lines, requestId, spanOfAttempt, spanOfRequest } = await told()
    expect(attributesOf(spanOfRequest)).toMatchObject({
      "http.request.method": "PATCH",
      "http.route": "/api/v2/recordings/:uuid",
      request_id: requestId
    })
    const attempt = lines.find((line) => line.message === "attempt")
    expect(attributesOf(spanOfAttempt)).toMatchObject({ delivery_id: attempt?.delivery_id, outcome: "failure" })
    const below = (parent: Span) =>
      collected.spans().flatMap(({ name, parentSpanId }) => (parentSpanId === parent.spanId ? [name] : []))
    expect(below(spanOfRequest)).toEqual(expect.arrayContaining(["authenticate", "decode", "RecordingContent.update"]))
    expect(below(spanOfAttempt)).toEqual(expect.arrayContaining(["guard", "POST", "settle"]))
    const roots = collected.spans().filter((span) => span.parentSpanId === undefined)
    expect(new Set(roots.map(({ name }) => name))).toEqual(
      new Set(["PATCH /api/v2/recordings/:uuid", "GET other", "POST /api/settings/sign-in"])
    )
    expect(collected.headers[0]).toMatchObject({ "x-collector-key": "open-sesame" })
  })

  test("names the service, its instance and the environment in traces, metrics and logs", async () => {
    const { collected } = await told()
    type Group = readonly [{ readonly resource: Span }]
    const groups = (["traces", "metrics", "logs"] as const).flatMap((signal) =>
      collected.of<Readonly<Record<string, Group>>>(signal).flatMap((body) => Object.values(body))
    )
    expect(new Set(collected.bodies.map(({ path }) => path))).toEqual(
      new Set(["/v1/traces", "/v1/metrics", "/v1/logs"])
    )
    for (const [{ resource }] of groups)
      expect(attributesOf(resource)).toMatchObject({
        "service.name": "tapedeck",
        "service.version": expect.any(String),
        "service.instance.id": expect.stringMatching(/^.+:\d+$/),
        "deployment.environment.name": "staging"
      })
  })

  test("exports each declared metric with the name of Prometheus, its unit and its help", async () => {
    const { collected, metrics } = await told()
    interface Exported {
      readonly name: string
      readonly description: string
      readonly unit: string
      readonly sum?: { readonly dataPoints: ReadonlyArray<Pick<Span, "attributes"> & { readonly asDouble: number }> }
    }
    const [last] = collected
      .of<{ resourceMetrics: [{ scopeMetrics: [{ metrics: ReadonlyArray<Exported> }] }] }>("metrics")
      .slice(-1)
    const exported = last?.resourceMetrics[0].scopeMetrics[0].metrics ?? []
    const families = [...metrics.matchAll(/^# HELP (\w+) (.*)$/gm)].map(([, ...family]) => family)
    expect(exported.map(({ description, name }) => [name, description])).toEqual(expect.arrayContaining(families))
    const attempts = exported.find(({ name }) => name === "tapedeck_delivery_attempts_total")?.sum?.dataPoints
    const failed = attempts?.find(
      (point) => attributesOf(point).outcome === "failure" && attributesOf(point).kind === "audit"
    )
    expect(failed?.asDouble).toBe(1)
    const units = exported.flatMap(({ name, unit }) => (unit === "" ? [] : [[name.replace(/^.*_(?=\w+$)/, ""), unit]]))
    expect(new Set(units.map((unit) => unit.join(" ")))).toEqual(new Set(["seconds s", "total s", "bytes By"]))
  })

  test("exports each line of its log, with its fields", async () => {
    const { collected, lines } = await told()
    type Line = Pick<Span, "attributes"> & { readonly body: { readonly stringValue: string } }
    const records = collected
      .of<{ resourceLogs: [{ scopeLogs: [{ logRecords: ReadonlyArray<Line> }] }] }>("logs")
      .flatMap(({ resourceLogs }) => resourceLogs[0].scopeLogs[0].logRecords)
    expect(records.map(({ body }) => body.stringValue)).toEqual(lines.map(({ message }) => message))
    const attempt = lines.find(({ message }) => message === "attempt")
    const record = records.find(({ body }) => body.stringValue === "attempt")
    expect(record === undefined ? {} : attributesOf(record)).toMatchObject({ delivery_id: attempt?.delivery_id })
  })

  test("writes no token, header value, query or secret into logs and metrics, or to the collector", async () => {
    const { exported, logs, metrics } = await told()
    const secrets = [adminToken, ...Object.values(planted), "planted-in-url", "open-sesame"]
    for (const secret of secrets) {
      expect(logs, secret).not.toContain(secret)
      expect(metrics, secret).not.toContain(secret)
      expect(exported, secret).not.toContain(secret)
    }
  })
})

test("the probes report a process as alive, as ready, and as not ready while it stops", async () => {
  const server = await listening([...startedWith(), "--metrics-port", "0"])
  const { base_url } = server.view
  const { url } = await metricsAt(server)
  for (const origin of [base_url, url]) {
    expect(await (await fetch(`${origin}/healthz`)).json()).toEqual({ status: "ok" })
    const ready = await fetch(`${origin}/readyz`)
    expect([ready.status, await ready.json()]).toEqual([200, { status: "ready" }])
  }
  // A request in flight delays the stop.
  const { socket } = await dial(base_url)
  const answered = new Promise((resolve) => socket.once("data", resolve))
  socket.write(
    `PATCH /api/v2/recordings/${recording} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${adminToken}\r\n` +
      "content-type: application/json\r\nexpect: 100-continue\r\ncontent-length: 100\r\n\r\n"
  )
  await answered
  server.child.kill("SIGTERM")
  let ready = await fetch(`${url}/readyz`)
  while (ready.status === 200) ready = await fetch(`${url}/readyz`)
  expect([ready.status, await ready.json()]).toEqual([503, { status: "stopping" }])
  expect((await fetch(`${url}/healthz`)).status).toBe(200)
  socket.destroy()
  expect(await server.ended).toBe(0)
})

test("a server whose store fails is not ready, counts the failure, and logs the cause with the request's id (R3)", async () => {
  const data = join(temporaryFolder(), "data")
  const options = [...startedWith().slice(2), "--store", "sqlite", "--data", data, "--metrics-port", "0"]
  const server = await listening(options)
  const { text } = await metricsAt(server)
  expect(valueOf(await text(), "tapedeck_store_up")).toBe(1)
  const database = new DatabaseSync(join(data, "tapedeck.db"), { timeout: 10_000 })
  database.exec("DROP TABLE audit_entry_counts; DROP TABLE delivery_queue")
  database.close()

  const failed = await fetch(`${server.view.base_url}/api/settings/audit-entries`, { headers: asAdmin })
  expect([failed.status, await failed.json()]).toEqual([500, { error: "Internal server error" }])
  const id = failed.headers.get("x-request-id") ?? "none"
  const line = JSON.parse(await said(server, id)) as Readonly<Record<string, unknown>>
  expect(line).toMatchObject({ level: "error", message: "A request failed", request_id: id })
  expect(line.cause).toContain("no such table: audit_entry_counts")

  const ready = await fetch(`${server.view.base_url}/readyz`)
  expect([ready.status, await ready.json()]).toEqual([503, { status: "store" }])
  // A count is kept for a while: the store is asked again after it.
  await expect.poll(async () => valueOf(await text(), "tapedeck_store_up")).toBe(0)
  expect(valueOf(await text(), "process_uptime_seconds")).toBeGreaterThan(0)
})

test("every counter is 0 from the start, with each combination of its labels, and every other metric is declared", async () => {
  const store = ["--store", "sqlite", "--data", join(temporaryFolder(), "data")]
  const server = await listening([...startedWith(), ...store, "--metrics-port", "0"])
  const { text } = await metricsAt(server)
  const countersIn = (metrics: string) => metrics.split("\n").filter((line) => /^tapedeck_\w+_total[ {]/.test(line))
  const first = await text()
  const before = countersIn(first)
  const families = [...first.matchAll(/^# HELP (\w+) (.*)\n# TYPE \w+ (\w+)$/gm)].map(([, ...family]) => family)
  const declared = declaredMetrics.map(({ help, name, type }) => [name, help, type])
  expect(declared).toEqual(expect.arrayContaining(families))
  // The request of the start's probe, and the jobs that repeat, may be counted already.
  for (const line of before) expect(line).toMatch(/ [01]$/)
  const fixed = declaredMetrics.filter(
    ({ labels, type }) => type === "counter" && !Object.values(labels).includes(null)
  )
  for (const { labels, name } of fixed.filter(({ name }) => name.startsWith("tapedeck_"))) {
    const size = Object.values(labels).reduce((product, values) => product * (values?.length ?? 0), 1)
    const series = before.filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`))
    expect(series, name).toHaveLength(size)
  }
  expect(before).toContain('tapedeck_delivery_attempts_total{kind="audit",outcome="blocked"} 0')

  // Requests of every API and of pages, answered and refused, add no series.
  const paths = [
    "/api/v2/recordings",
    "/api/v1/nothing",
    "/api/settings/folders",
    "/api/capture/x",
    "/r/x",
    "/sign-in",
    "/"
  ]
  for (const path of paths) await fetch(`${server.view.base_url}${path}`, { headers: asAdmin })
  for (const method of ["POST", "PUT", "OPTIONS"])
    await fetch(`${server.view.base_url}/api/settings/folders`, { method, headers: asAdmin })
  const series = (lines: ReadonlyArray<string>) => lines.map((line) => line.replace(/ \d+$/, "")).sort()
  const after = countersIn(await text())
  expect(series(after)).toEqual(series(before))
  expect(after).not.toEqual(before)
})

test("by default a server has no metrics and logs no requests", async () => {
  const server = await listening(startedWith())
  expect((await fetch(`${server.view.base_url}/metrics`)).status).toBe(404)
  expect((await fetch(`${server.view.base_url}/api/v2/recordings`, { headers: asAdmin })).status).toBe(200)
  await server.stop()
  expect(server.output.err).not.toContain('"request"')
})

test("a send-test is neither counted nor logged as an attempt", async () => {
  const { options, url } = await receiver(200)
  const document = { folders: [{ id: "vip", name: "VIP" }], automations: [{ id: "crm", folder: "vip", url }] }
  const server = await listening([...startedWith(document), ...options, "--metrics-port", "0"])
  const { text } = await metricsAt(server)
  const tested = `${server.view.base_url}/api/settings/automations/crm/test`
  const answer = await fetch(tested, { method: "POST", headers: asAdmin })
  expect(await answer.json()).toMatchObject({ result: "success" })
  expect(await text()).not.toMatch(/^tapedeck_delivery_attempts_total.* [1-9]/m)
  await server.stop()
  expect(server.output.err).not.toContain('"attempt"')
})

test("a metrics port that is in use is an error that names its setting", async () => {
  const taken = createServer()
  await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => void taken.close())
  const { port } = taken.address() as AddressInfo
  const started = listening([...startedWith(), "--metrics-port", String(port)])
  await expect(started).rejects.toThrow(
    /ended with 2: tapedeck: TAPEDECK_METRICS_HOST and --metrics-port: .*EADDRINUSE/
  )
})
