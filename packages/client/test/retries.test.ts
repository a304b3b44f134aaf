import { describe, expect, it } from "vitest"
import {
  ConflictError,
  ConnectionError,
  InternalServerError,
  TimeoutError,
  TooManyRequestsError
} from "../src/index.ts"
import { makeClient, malformed, never, reply, settle } from "./support/fake.ts"

const broken = () => {
  throw new TypeError("fetch failed")
}

/** Runs a call through its retries, moving the clock past each wait. */
const through = async <Data>(call: Promise<Data>, clock: { advance: (ms: number) => void }): Promise<Data> => {
  let isDone = false
  const end = call.finally(() => {
    isDone = true
  })
  end.catch(() => {})
  for (let turn = 0; turn < 100 && !isDone; turn += 1) {
    for (let step = 0; step < 5; step += 1) await new Promise((resolve) => setImmediate(resolve))
    if (!isDone) clock.advance(8000)
  }
  return end
}

describe("retries", () => {
  it.each([408, 429, 502, 503, 504])("resend a read that was answered %i, twice", async (status) => {
    const { clock, seen, tapedeck } = makeClient([reply(status, { error: "no" })])
    await expect(through(tapedeck.users.search("ada@acme.test"), clock)).rejects.toMatchObject({ status })
    expect(seen).toHaveLength(3)
  })

  it("resend after a broken connection, and return the result of the next attempt", async () => {
    const { clock, seen, tapedeck } = makeClient([broken, broken, reply(200, { title: "Checkout" })])
    await expect(through(tapedeck.recordings.get("r"), clock)).resolves.toEqual({ title: "Checkout" })
    expect(seen).toHaveLength(3)
  })

  it("resend after an incomplete body", async () => {
    const cut = () =>
      new Response(new ReadableStream({ start: (controller) => controller.error(new TypeError("terminated")) }))
    const { clock, tapedeck } = makeClient([cut, reply(200, { title: "whole" })])
    await expect(through(tapedeck.recordings.get("r"), clock)).resolves.toEqual({ title: "whole" })
  })

  it.each([400, 401, 403, 404, 409, 422, 500, 501, 507])("exclude the status %i", async (status) => {
    const { seen, tapedeck } = makeClient([reply(status, { error: "no" })])
    await expect(tapedeck.recordings.get("r")).rejects.toMatchObject({ status, message: "no" })
    expect(seen).toHaveLength(1)
  })

  it("exclude PATCH and DELETE", async () => {
    const { seen, tapedeck } = makeClient([reply(503, { error: "no" })])
    await expect(tapedeck.recordings.update("r", { title: "x" })).rejects.toThrow(InternalServerError)
    await expect(tapedeck.settings.recordings.delete("r")).rejects.toThrow(InternalServerError)
    expect(seen.map(({ method }) => method)).toEqual(["PATCH", "DELETE"])
  })

  it("are off with maxRetries 0", async () => {
    const { seen, tapedeck } = makeClient([broken])
    await expect(tapedeck.recordings.get("r", { maxRetries: 0 })).rejects.toThrow(ConnectionError)
    expect(seen).toHaveLength(1)
  })

  it("wait half a second, doubled each time up to eight seconds, minus up to a quarter at random", async () => {
    for (const [chance, waits] of [
      [0, [500, 1000, 2000, 4000, 8000, 8000]],
      [1, [375, 750, 1500, 3000, 6000, 6000]]
    ] as const) {
      const { clock, tapedeck } = makeClient([broken], { maxRetries: 6, random: () => chance })
      await through(tapedeck.recordings.get("r"), clock).catch(() => {})
      expect(clock.waits.filter((ms) => ms !== 60_000)).toEqual(waits)
    }
  })

  // The clock is at Thu, 01 Jan 1970 00:16:40 GMT.
  it.each([
    ["seconds", "7", 7000],
    ["a date", "Thu, 01 Jan 1970 00:16:49 GMT", 9000],
    ["a date of RFC 850", "Thursday, 01-Jan-70 00:16:49 GMT", 9000],
    ["a date of asctime", "Thu Jan  1 00:16:49 1970", 9000],
    ["a date of asctime more than a minute ahead", "Sat Jan 10 00:00:00 1970", undefined],
    ["a date more than a minute ahead", "Sun, 06 Nov 1994 08:49:37 GMT", undefined],
    ["a date that has passed", "Thu, 01 Jan 1970 00:00:00 GMT", 0]
  ])("honour Retry-After in %s: %s", async (_, value, ms) => {
    const { clock, seen, tapedeck } = makeClient([reply(429, {}, { "retry-after": value }), reply(200, {})])
    if (ms === undefined) {
      // More than a minute ahead.
      await expect(tapedeck.recordings.get("r")).rejects.toThrow(TooManyRequestsError)
      return
    }
    await through(tapedeck.recordings.get("r"), clock)
    expect(clock.waits.filter((wait) => wait !== 60_000)).toEqual([ms])
    expect(seen).toHaveLength(2)
  })

  it.each(malformed)("ignore a Retry-After that is neither digits nor an HTTP date: %j", async (value) => {
    const { clock, tapedeck } = makeClient([reply(429, {}, { "retry-after": value }), reply(200, {})])
    await through(tapedeck.recordings.get("r"), clock)
    expect(clock.waits.filter((wait) => wait !== 60_000)).toEqual([500])
    const refused = makeClient([reply(429, {}, { "retry-after": value })], { maxRetries: 0 })
    await expect(refused.tapedeck.recordings.get("r")).rejects.toMatchObject({ retryAfterSeconds: undefined })
  })

  it("return the error at once if Retry-After has more digits than a number holds", async () => {
    const { seen, tapedeck } = makeClient([reply(429, {}, { "retry-after": "9".repeat(400) })])
    await expect(tapedeck.recordings.get("r")).rejects.toThrow(TooManyRequestsError)
    expect(seen).toHaveLength(1)
  })

  it("report the seconds until the date in Retry-After, rounded up", async () => {
    const value = "Thu, 01 Jan 1970 00:18:00 GMT"
    const { tapedeck } = makeClient([reply(429, {}, { "retry-after": value })])
    await expect(tapedeck.recordings.get("r")).rejects.toMatchObject({ retryAfterSeconds: 80 })
  })

  it("wait up to a minute for Retry-After, and return the error at once if it is longer", async () => {
    const minute = makeClient([reply(429, {}, { "retry-after": "60" }), reply(200, {})])
    await through(minute.tapedeck.recordings.get("r"), minute.clock)
    const longer = makeClient([reply(429, {}, { "retry-after": "61" })])
    const error = await longer.tapedeck.recordings.get("r").catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(TooManyRequestsError)
    expect((error as TooManyRequestsError).retryAfterSeconds).toBe(61)
    expect(longer.seen).toHaveLength(1)
  })

  it("resend a PUT of bytes, and send a stream once", async () => {
    const { clock, seen, tapedeck } = makeClient([reply(503, {})])
    await through(tapedeck.settings.recordings.upload("r", new Uint8Array(3)), clock).catch(() => {})
    expect(seen).toHaveLength(3)
    await tapedeck.settings.recordings.upload("r", new Blob(["abc"]).stream()).catch(() => {})
    expect(seen).toHaveLength(4)
  })
})

describe("timeouts and aborts", () => {
  it("end a request if no headers arrive within timeoutMs, without a retry", async () => {
    const { clock, seen, tapedeck } = makeClient([never], { timeoutMs: 1000 })
    const call = tapedeck.recordings.get("r")
    call.catch(() => {})
    await settle(() => seen.length === 1)
    clock.advance(999)
    expect(clock.pending).toBe(1)
    clock.advance(1)
    await expect(call).rejects.toThrow(TimeoutError)
    expect(seen).toHaveLength(1)
    expect(clock.pending).toBe(0)
  })

  it("start anew with each chunk of the body", async () => {
    let controller: ReadableStreamDefaultController<Uint8Array> | undefined
    const stream = new ReadableStream<Uint8Array>({
      start: (given) => {
        controller = given
      }
    })
    const { clock, tapedeck } = makeClient(
      [
        (_, signal) => {
          signal.addEventListener("abort", () => controller?.error(signal.reason))
          return new Response(stream)
        }
      ],
      { timeoutMs: 1000 }
    )
    const call = tapedeck.recordings.get("r")
    call.catch(() => {})
    const turn = () => new Promise((resolve) => setImmediate(resolve))
    await turn()
    for (const piece of ['{"title"', ':"slow', '"}']) {
      clock.advance(900)
      controller?.enqueue(new TextEncoder().encode(piece))
      await turn()
    }
    controller?.close()
    await expect(call).resolves.toEqual({ title: "slow" })
  })

  it("reject with the reason of the caller's signal, and end the wait for a retry", async () => {
    const { clock, seen, tapedeck } = makeClient([broken])
    const abort = new AbortController()
    const call = tapedeck.recordings.get("r", { signal: abort.signal })
    call.catch(() => {})
    await settle(() => clock.waits.includes(500))
    abort.abort(new Error("enough"))
    await expect(call).rejects.toThrow("enough")
    expect(seen).toHaveLength(1)
    expect(clock.pending).toBe(0)
  })

  it("send nothing if the signal was aborted before", async () => {
    const { seen, tapedeck } = makeClient([reply(200, {})])
    await expect(tapedeck.recordings.get("r", { signal: AbortSignal.abort(new Error("gone")) })).rejects.toThrow("gone")
    expect(seen).toHaveLength(0)
  })
})

it("a status that a retry would not change has an error class of its own", async () => {
  const { tapedeck } = makeClient([reply(409, { error: "There is no video file yet" })])
  await expect(tapedeck.recordings.download("r")).rejects.toThrow(ConflictError)
})
