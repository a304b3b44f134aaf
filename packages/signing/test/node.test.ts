import { createServer } from "node:http"
import { text as readText } from "node:stream/consumers"
import { webhook } from "@tapedeck/signing/node"
import { request } from "undici"
import { expect, test, vi } from "vitest"
import { listen, receiverSuite, secret, serve, signed, timestamp } from "./support/receiverSuite.ts"

receiverSuite("node:http", (options, work) =>
  serve(
    createServer(
      webhook({ ...options, onError: () => undefined }, (delivery, _request, response) => {
        const answer = work(delivery)
        if (answer === undefined) return
        response.statusCode = answer.status
        response.end(answer.text)
      })
    )
  )
)

const send = async (url: string) => {
  const response = await request(url, { method: "POST", headers: signed("{}"), body: "{}" })
  return { status: response.statusCode, text: await response.body.text() }
}
const options = { secret, now: timestamp * 1000 }

test("an invalid secret is refused when the server is created, not at the first request", () => {
  expect(() => webhook({ secret: "" }, () => undefined)).toThrow("Secret 1 is refused: it is empty")
  expect(() => webhook({ secret: [secret, undefined as unknown as string] }, () => undefined)).toThrow(
    "Secret 2 is refused: none was given."
  )
  expect(() => webhook({ secret, maxBodyBytes: -1 }, () => undefined)).toThrow("maxBodyBytes must be")
  expect(() => webhook({ secret, scheme: "audit", toleranceSeconds: 1 }, () => undefined)).toThrow(
    "toleranceSeconds must be"
  )
})

test("a function returns the secret for each request, and none is answered with 500", async () => {
  let current: string | undefined
  const refused: Array<string> = []
  const hook = webhook(
    { ...options, secret: () => current, onRefused: ({ code }) => void refused.push(code) },
    () => undefined
  )
  const receiver = await listen(hook)
  expect(await send(receiver.url)).toMatchObject({ status: 500, text: expect.stringContaining("none was given") })
  current = secret
  expect(await send(receiver.url)).toEqual({ status: 204, text: "" })
  current = "another"
  expect((await send(receiver.url)).status).toBe(401)
  expect(refused).toEqual(["secret_refused", "signature_mismatch"])
  await receiver.close()
})

test("options are checked when the server is created, also if the secret is a function", () => {
  const secret = () => "s3cret"
  expect(() => webhook({ secret, minSecretBytes: 0 }, () => undefined)).toThrow("minSecretBytes must be")
})

test("an exception of the handler is answered with 500 and reported to onError, by default the console", async () => {
  const broken = new Error("broken handler")
  const told: Array<unknown> = []
  const handler = () => {
    throw broken
  }
  const quiet = await listen(webhook({ ...options, onError: (error) => told.push(error) }, handler))
  expect(await send(quiet.url)).toEqual({ status: 500, text: "" })
  expect(told).toEqual([broken])
  await quiet.close()

  const log = vi.spyOn(console, "error").mockImplementation(() => undefined)
  const loud = await listen(webhook(options, handler))
  expect(await send(loud.url)).toEqual({ status: 500, text: "" })
  expect(log).toHaveBeenCalledExactlyOnceWith(broken)
  await loud.close()
  log.mockRestore()
})

test("the error for a request that was read before says so, in the sender's log too", async () => {
  const hook = webhook(options, () => undefined)
  const receiver = await listen(async (incoming, response) => {
    await readText(incoming)
    await hook(incoming, response)
  })
  const { status, text } = await send(receiver.url)
  expect(status).toBe(500)
  expect(JSON.parse(text)).toEqual({
    code: "body_parsed",
    error:
      "The body of this request was read by something else before, and cannot be read twice. Read the request's chunks " +
      "into one Buffer, or call this before anything else reads the request."
  })
  await receiver.close()
})

test("the error for a request whose bytes became text (setEncoding) says so", async () => {
  const hook = webhook(options, () => undefined)
  const receiver = await listen((incoming, response) => hook(incoming.setEncoding("utf8"), response))
  expect(await send(receiver.url)).toMatchObject({ status: 500, text: expect.stringContaining(`"code":"body_parsed"`) })
  await receiver.close()
})

test("bytes that a platform kept as rawBody (Google Cloud Functions) are verified", async () => {
  const hook = webhook(options, () => undefined)
  const receiver = await listen(async (incoming, response) => {
    const rawBody = Buffer.from(await readText(incoming))
    await hook(Object.assign(incoming, { rawBody, body: JSON.parse(rawBody.toString()) }), response)
  })
  expect(await send(receiver.url)).toEqual({ status: 204, text: "" })
  await receiver.close()
})
