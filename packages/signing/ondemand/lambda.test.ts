import type { APIGatewayProxyEvent, APIGatewayProxyEventV2, APIGatewayProxyHandlerV2, Context } from "aws-lambda"
import lambdaLocal from "lambda-local"
import { expect, test } from "vitest"
import { webhook } from "../src/adapters/lambda.ts"
import { secret, signed, timestamp } from "../test/support/receiverSuite.ts"

lambdaLocal.setLogger({ log: () => undefined, transports: [] } as never)

const options = { secret, now: timestamp * 1000, maxBodyBytes: 1000 }

/** Runs a handler as Lambda does: with its context, its time limit, and its result as JSON. */
const invoke = (lambdaFunc: { handler: unknown }, event: object): Promise<unknown> =>
  lambdaLocal.execute({ event, lambdaFunc, lambdaHandler: "handler", timeoutMs: 5000, verboseLevel: 0 })

const upper = (headers: Record<string, string>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]))
const arrays = (headers: Record<string, string>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]))

/** REST APIs: names as they were sent, and each value twice. */
const v1 = (body: string | Uint8Array, isBase64Encoded = false, headers = signed(body)) =>
  ({
    version: "1.0",
    resource: "/hook",
    path: "/hook",
    httpMethod: "POST",
    headers: upper(headers),
    multiValueHeaders: arrays(upper(headers)),
    body: isBase64Encoded ? Buffer.from(body as string).toString("base64") : body,
    isBase64Encoded
  }) as unknown as APIGatewayProxyEvent

/** HTTP APIs and function URLs: names in lower case, several values joined by commas. */
const v2 = (body: string | Uint8Array, isBase64Encoded = false, headers = signed(body)) =>
  ({
    version: "2.0",
    routeKey: "POST /hook",
    rawPath: "/hook",
    rawQueryString: "",
    headers,
    body: isBase64Encoded ? Buffer.from(body as string).toString("base64") : body,
    isBase64Encoded
  }) as unknown as APIGatewayProxyEventV2

const events = [
  ["v1", v1],
  ["v2", v2]
] as const

test.each(events)(
  "payload format %s: text and base64 are verified as the bytes that were sent",
  async (_name, event) => {
    const handler = webhook(options, (delivery) => ({ statusCode: 200, body: String(delivery.body.length) }))
    const text = `{"a":"Übergröße 🎥"}`
    const length = String(Buffer.byteLength(text))
    expect(await invoke({ handler }, event(text))).toEqual({ statusCode: 200, body: length })
    expect(await invoke({ handler }, event(text, true))).toEqual({ statusCode: 200, body: length })
    expect(await invoke({ handler }, event(Uint8Array.of(0xff, 0, 0xfe), true))).toEqual({ statusCode: 200, body: "3" })
  }
)

test.each(events)("payload format %s: a missing body is empty, and no result is 204", async (_name, event) => {
  const handler = webhook(options, () => undefined)
  for (const body of [null, undefined]) {
    expect(await invoke({ handler }, { ...event(""), body })).toEqual({ statusCode: 204, body: "" })
  }
})

test.each(events)("payload format %s: a refusal is answered in the format's form", async (_name, event) => {
  const handler = webhook(options, () => undefined)
  const answer = (status: number, code: string) => ({
    statusCode: status,
    headers: expect.objectContaining({ "content-type": "application/json; charset=utf-8" }),
    body: expect.stringContaining(`"code":"${code}"`)
  })
  expect(await invoke({ handler }, event("{}", false, signed("[]")))).toEqual(answer(401, "signature_mismatch"))
  expect(await invoke({ handler }, event("{}", false, {}))).toEqual(answer(401, "header_missing"))
  expect(await invoke({ handler }, event("x".repeat(1000)))).toEqual({ statusCode: 204, body: "" })
  for (const inBase64 of [false, true]) {
    for (const size of [1001, 100_000]) {
      expect(await invoke({ handler }, event("x".repeat(size), inBase64))).toEqual(answer(413, "body_too_large"))
    }
  }
  expect(await invoke({ handler }, { ...event("{}"), body: "?", isBase64Encoded: true })).toEqual(
    answer(400, "body_interrupted")
  )
  expect(await invoke({ handler }, { ...event("{}"), body: {} })).toEqual(answer(500, "body_parsed"))
  expect(await invoke({ handler }, { ...event("{}"), headers: null, multiValueHeaders: null })).toEqual(
    answer(401, "header_missing")
  )
})

test("the error for text that lost bytes before says so", async () => {
  const handler = webhook(options, () => undefined)
  const lost = v1(Uint8Array.of(0xff))
  expect(await invoke({ handler }, { ...lost, body: "\u{FFFD}" })).toMatchObject({
    statusCode: 401,
    body: expect.stringContaining("bytes were lost when it was decoded")
  })
})

test("a load balancer that sends arrays only is supported", async () => {
  const handler = webhook(options, () => undefined)
  const { headers: _, ...event } = v1("{}")
  expect(await invoke({ handler }, event)).toEqual({ statusCode: 204, body: "" })
})

test("an invalid event is answered with 400; an exception of the handler is passed to Lambda", async () => {
  const parse = webhook(options, (delivery) => ({ statusCode: 200, body: delivery.event().event }))
  expect(await invoke({ handler: parse }, v2("{}"))).toMatchObject({ statusCode: 400 })
  const broken = webhook(options, () => Promise.reject(new Error("broken handler")))
  await expect(invoke({ handler: broken }, v2("{}"))).rejects.toMatchObject({ errorMessage: "broken handler" })
})

test("the adapter's types fit aws-lambda", async () => {
  const handler: APIGatewayProxyHandlerV2 = webhook(
    options,
    (_delivery, event: APIGatewayProxyEventV2, context: Context) => ({
      statusCode: 200,
      body: `${event.rawPath} ${typeof context.awsRequestId}`
    })
  )
  expect(await invoke({ handler }, v2("{}"))).toEqual({ statusCode: 200, body: "/hook string" })
})
