import { describe, expect, test } from "vitest"
import { uuid } from "../../support/acme.ts"
import { type Emulator, refusalOf } from "../../support/emulator.ts"
import { hooked, instantAfter, start } from "../../support/hooks.ts"
import type { Delivery, Sink } from "../../support/shapes.ts"
import { blackbox, bodyOf, keysOf } from "../../support/target.ts"
import { emulatorAlone } from "../targets.ts"

/** Sinks: receivers inside the emulator, and every outcome that they can be told to give. */

export const targets = emulatorAlone

export const suite = (emulator: Emulator): void =>
  blackbox(emulator, "Sinks", () => {
    /** One delivery to a sink that answers so, once driven. */
    const deliver = async (outcome: unknown, config: Record<string, unknown> = {}) => {
      const world = await emulator.start(hooked([outcome]), { config })
      await world.addToFolder("f1", uuid(1))
      const moved = await world.advance({ by: "PT45S" })
      const [delivery] = await world.deliveries()
      return {
        world,
        moved,
        delivery: delivery as Delivery,
        attempt: delivery?.attempts[0],
        sink: await world.sink("crm")
      }
    }

    describe("the calls", () => {
      test("POST {c}/sinks returns 201 {id, url, respond}, with an https:// URL and respond as given", async () => {
        const world = await emulator.start({})
        const respond = [
          500,
          "timeout",
          { status: 503, headers: { "retry-after": "5" }, body: "busy", after: "PT1S" },
          200
        ]
        const made = bodyOf<Sink>(await world.post("/sinks", { id: "mine", respond }), 201)
        expect(made).toEqual({ id: "mine", url: expect.stringMatching(/^https:\/\/\S+$/), respond })
        expect(await world.sink("mine")).toEqual({ ...made, requests: [] })
      })

      test("a sink without an id gets one, and each has its own URL", async () => {
        const world = await emulator.start({})
        const first = bodyOf<Sink>(await world.post("/sinks", { respond: [200] }), 201)
        const second = bodyOf<Sink>(await world.post("/sinks", { respond: [200] }), 201)
        expect(first.id).toMatch(/\S/)
        expect([first.id, first.url]).not.toEqual([second.id, second.url])
        expect(second.url).not.toBe(first.url)
        expect((await world.sink(first.id)).url).toBe(first.url)
      })

      test("an id in use is 409, and an unknown sink is 404", async () => {
        const world = await emulator.start(hooked([200]))
        bodyOf(await world.post("/sinks", { id: "crm", respond: [500] }), 409)
        expect((await world.sink("crm")).respond).toEqual([200])
        bodyOf(await world.control("/sinks/nope"), 404)
        bodyOf(await world.control("/sinks/nope", { method: "PUT", json: { respond: [200] } }), 404)
      })

      test("PUT {c}/sinks/{id} replaces the answers from then on, and keeps the requests", async () => {
        const world = await emulator.start(hooked([500, 501]))
        await world.addToFolder("f1", uuid(1))
        await world.advance({ by: 0 })
        const put = bodyOf<Sink>(await world.control("/sinks/crm", { method: "PUT", json: { respond: [503, 200] } }))
        expect(put).toEqual(await world.sink("crm"))
        expect(put).toMatchObject({ id: "crm", respond: [503, 200] })
        expect(put.requests).toHaveLength(1)
        const { fired } = await world.advance({ until: "idle" })
        expect(fired.map(({ status_code }) => status_code)).toEqual([503, 200])
      })

      test.each([
        ["respond", { respond: "200" }],
        ["respond[0]", { respond: ["explode"] }],
        ["respond[0]", { respond: [99] }],
        ["respond[0]", { respond: [600] }],
        ["respond[1].status", { respond: [200, { status: "ok" }] }],
        ["respond[0].after", { respond: [{ status: 200, after: "soon" }] }],
        ["respond[0].delay", { respond: [{ status: 200, delay: 5 }] }],
        ["reply", { respond: [200], reply: 1 }],
        ["respond", {}]
      ])("an invalid body is 400 and names %s", async (path, json) => {
        const world = await emulator.start({})
        const paths = refusalOf(await world.post("/sinks", { id: "bad", ...json })).errors.map((error) => error.path)
        expect(
          paths.some((each) => each === path || each.startsWith(`${path}.`)),
          String(paths)
        ).toBe(true)
        bodyOf(await world.control("/sinks/bad"), 404)
      })
    })

    test("a request is shown as received: {at, method, path, headers, body, body_base64, outcome}", async () => {
      const { sink, attempt } = await deliver(202)
      expect(sink.requests).toHaveLength(1)
      const [request] = sink.requests
      expect(keysOf(request ?? {})).toEqual(["at", "body", "body_base64", "headers", "method", "outcome", "path"])
      expect(request).toMatchObject({ at: start, method: "POST", path: new URL(sink.url).pathname })
      expect(request?.body).toBe(attempt?.request.body)
      expect(Buffer.from(request?.body_base64 ?? "", "base64").toString()).toBe(request?.body)
    })

    test("outcomes are used in order, and the last repeats", async () => {
      const world = await emulator.start(hooked([500, 502, 503]))
      await world.addToFolder("f1", uuid(1))
      const { fired } = await world.advance({ until: "idle" })
      expect(fired.map(({ status_code }) => status_code)).toEqual([500, 502, 503, 503, 503, 503])
    })

    describe("outcomes without a response", () => {
      test.each(["refused", "dns", "tls"])("%s fails the attempt, and the sink has no request", async (outcome) => {
        const { moved, attempt, delivery, sink } = await deliver(outcome)
        expect(moved.fired).toMatchObject([{ kind: "attempt", at: start, outcome }])
        expect(attempt).toMatchObject({ outcome, status_code: null, response: null, duration_ms: 0 })
        expect(attempt?.error, JSON.stringify(attempt)).toBeTruthy()
        expect(delivery).toMatchObject({ state: "waiting", retry: 1 })
        expect(sink.requests).toEqual([])
      })

      test.each([
        ["reset", 0],
        ["timeout", 30_000]
      ])("%s fails the attempt, and the sink has the request", async (outcome, duration_ms) => {
        const { moved, attempt, sink } = await deliver(outcome)
        expect(moved.fired).toMatchObject([{ kind: "attempt", at: start, outcome }])
        expect(attempt).toMatchObject({ outcome, status_code: null, response: null, duration_ms })
        expect(attempt?.error, JSON.stringify(attempt)).toBeTruthy()
        expect(sink.requests).toHaveLength(1)
      })
    })

    describe("{status, headers, body, after}", () => {
      test("headers and body are those of the response in the log", async () => {
        const { attempt } = await deliver({
          status: 422,
          headers: { "x-reason": "no such ticket" },
          body: '{"ok":false}'
        })
        expect(attempt).toMatchObject({
          outcome: "failure",
          status_code: 422,
          response: { headers: { "x-reason": "no such ticket" }, body: '{"ok":false}', truncated: false }
        })
      })

      test.each([
        ["PT10S", 10_000],
        [10_000, 10_000],
        ["PT0S", 0],
        ["PT29.999S", 29_999]
      ])("after %j takes that much virtual time", async (value, ms) => {
        const { attempt, sink, delivery } = await deliver({ status: 200, after: value })
        expect(attempt).toMatchObject({ at: start, outcome: "success", status_code: 200, duration_ms: ms })
        expect(delivery.state).toBe("delivered")
        expect(sink.respond, "respond comes back as given").toEqual([{ status: 200, after: value }])
        expect(sink.requests[0]?.at).toBe(start)
      })

      test("W4: an answer after more than 30 s is a timeout at 30 s", async () => {
        const { attempt, delivery } = await deliver({ status: 200, after: "PT30.001S" })
        expect(attempt).toMatchObject({ outcome: "timeout", status_code: null, duration_ms: 30_000, response: null })
        expect(delivery).toMatchObject({ state: "waiting", next_attempt_at: instantAfter(start, 60_000) })
      })

      test.each([
        [65_536, false],
        [65_537, true],
        [200_000, true]
      ])("W4: a 2xx with a body of %i bytes is a success, of which 64 KiB are kept", async (size, truncated) => {
        const { attempt } = await deliver({ status: 200, body: "a".repeat(size) })
        expect(attempt).toMatchObject({ outcome: "success", status_code: 200, response: { truncated } })
        expect(attempt?.response?.body.length).toBe(65_536)
      })
    })

    test("a sink's URL reaches the sink of its own world only", async () => {
      const one = await emulator.start(hooked([200]))
      const { url } = await one.sink("crm")
      const other = await emulator.start(hooked([500], { url }))
      await other.addToFolder("f1", uuid(1))
      const { fired } = await other.advance({ by: 0 })
      // Whatever the same URL means in the other world, the request never reaches this one.
      expect(fired).toHaveLength(1)
      expect((await one.sink("crm")).requests).toEqual([])
    })
  })
