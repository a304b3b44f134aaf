import { afterEach, describe, expect, test } from "vitest"
import { closeReceivers, type Received, receiver } from "../src/support/receiver.ts"
import { Server } from "../src/support/server.ts"

interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
}

interface Batch {
  readonly resourceSpans: ReadonlyArray<{ readonly scopeSpans: ReadonlyArray<{ readonly spans: ReadonlyArray<Span> }> }>
}

const spansIn = (received: ReadonlyArray<Received>): ReadonlyArray<Span> =>
  received.flatMap(({ body }) =>
    (JSON.parse(body.toString("utf8")) as Batch).resourceSpans.flatMap(({ scopeSpans }) =>
      scopeSpans.flatMap(({ spans }) => spans)
    )
  )

const recording = "00000000-0000-4000-8000-000000000001"
const admin = { authorization: "Bearer ada-token", "content-type": "application/json" }

/** Starts a server that exports its spans, and has it deliver the audit entry of one PATCH. Returns the spans. */
const traceOfPatch = async (store: "sqlite" | "postgres", { isExported }: { readonly isExported: boolean }) => {
  const collector = await receiver(() => ({ status: 200, body: "{}" }))
  let delivered = () => {}
  const hasArrived = new Promise<void>((resolve) => {
    delivered = resolve
  })
  const siem = await receiver(
    () => {
      delivered()
      return { status: 200 }
    },
    "127.0.0.1",
    "https"
  )
  const settings = isExported ? ["--otlp-endpoint", new URL(collector.url).origin, "--otlp-signals", "traces"] : []
  const server = new Server(store, { settings })
  try {
    const running = await server.start({
      users: [{ email: "ada@acme.test", name: "Ada", role: "admin", token: "ada-token" }],
      recordings: [{ uuid: recording, title: "One", user: "ada@acme.test" }],
      audit_destinations: [{ name: "SIEM", url: siem.url }]
    })
    const body = JSON.stringify({ recording: { title: "Two" } })
    await fetch(`${running.baseUrl}/api/v2/recordings/${recording}`, { method: "PATCH", headers: admin, body })
    await hasArrived
    // The last spans are exported when the server stops.
    await running.close()
  } finally {
    await server.stop()
  }
  return { spans: spansIn(collector.received), delivery: siem.received[0]! }
}

afterEach(closeReceivers)

describe.each(["sqlite", "postgres"] as const)("a trace on %s", (store) => {
  test("contains the request, the use case, its SQL, the delivery and the attempt, and receivers get no traceparent", async () => {
    const { delivery, spans } = await traceOfPatch(store, { isExported: true })
    const request = spans.find(({ name }) => name === "PATCH /api/v2/recordings/:uuid")!
    const trace = spans.filter(({ traceId }) => traceId === request.traceId)
    const pathOf = (span: Span): ReadonlyArray<string> => {
      const parent = trace.find(({ spanId }) => spanId === span.parentSpanId)
      return [...(parent === undefined ? [] : pathOf(parent)), span.name]
    }
    const paths = trace.map((span) => pathOf(span).join(" > "))
    const update = `${request.name} > RecordingContent.update`
    const enqueue = `${update} > AuditLog.record > Deliveries.enqueue`
    expect(paths).toContain(update)
    expect(paths).toContain(`${update} > ${store === "sqlite" ? "sqlite" : "postgresql"}`)
    expect(paths).toContain(enqueue)
    expect(paths).toContain(`${enqueue} > deliver audit`)
    expect(request.parentSpanId).toBeUndefined()
    for (const name of ["traceparent", "tracestate", "b3"]) expect(delivery.headers[name]).toBeUndefined()
  })
})

test("without a collector a server exports nothing, and its deliveries carry no trace context", async () => {
  const { delivery, spans } = await traceOfPatch("sqlite", { isExported: false })
  expect(spans).toEqual([])
  expect(delivery.headers.traceparent).toBeUndefined()
})
