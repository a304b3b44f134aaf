import { afterEach, describe, expect, test } from "vitest"
import { uuid } from "../../support/acme.ts"
import type { Emulator } from "../../support/emulator.ts"
import { hooked, instantAfter, start } from "../../support/hooks.ts"
import { type Behaviour, closeReceivers, receiver, unusedUrl } from "../../support/receiver.ts"
import type { Delivery } from "../../support/shapes.ts"
import { blackbox, bodyOf } from "../../support/target.ts"
import { emulatorAlone } from "../targets.ts"

/** Real receivers: what each way of answering, or of not answering, comes to. */

export const targets = emulatorAlone

export const suite = (emulator: Emulator): void =>
  blackbox(emulator, "Real receivers", () => {
    afterEach(closeReceivers)

    /** One delivery to a URL, its first attempt driven. */
    const deliver = async (url: string, config: Record<string, unknown> = {}) => {
      const world = await emulator.start(hooked([200], { url }), { config })
      await world.addToFolder("f1", uuid(1))
      const moved = await world.advance({ by: 0 })
      const [delivery] = await world.deliveries()
      return { world, moved, delivery: delivery as Delivery, attempt: delivery?.attempts[0] }
    }
    const at = async (reply: Behaviour, config: Record<string, unknown> = {}) => {
      const real = await receiver(() => reply)
      return { ...(await deliver(real.url, config)), real }
    }

    test("a real receiver gets the method, path with query, Content-Length and the signed bytes", async () => {
      const { real, attempt } = await at({ status: 200, headers: { "x-seen": "yes" }, body: "thanks" })
      const [request] = real.received
      expect(request).toMatchObject({ method: "POST", path: "/hook?from=test" })
      expect(request?.headers["content-length"]).toBe(String(request?.body.length))
      expect(attempt?.request).toMatchObject({ method: "POST", url: real.url, body: request?.body.toString() })
      expect(attempt).toMatchObject({
        outcome: "success",
        status_code: 200,
        duration_ms: 0,
        response: { headers: { "x-seen": "yes" }, body: "thanks", truncated: false }
      })
    })

    test.each([301, 302, 303, 307, 308])("W5: a redirect (%i) is a failure and is not followed", async (status) => {
      const real = await receiver(() => ({ status, headers: { location: "/elsewhere" } }))
      const { attempt } = await deliver(real.url)
      expect(attempt).toMatchObject({ outcome: "failure", status_code: status })
      expect(real.received.map(({ path }) => path)).toEqual(["/hook?from=test"])
    })

    test.each([
      [65_536, false],
      [65_537, true],
      [5_000_000, true]
    ])("W4: a 2xx with a body of %i bytes is a success, of which 64 KiB are kept", async (size, truncated) => {
      const { attempt } = await at({ status: 200, body: "a".repeat(size) })
      expect(attempt).toMatchObject({ outcome: "success", response: { truncated } })
      expect(attempt?.response?.body.length).toBe(65_536)
    })

    test("a refused connection is a failed attempt", async () => {
      const { attempt, delivery } = await deliver(await unusedUrl())
      expect(attempt).toMatchObject({ outcome: "refused", status_code: null, response: null })
      expect(attempt?.error, JSON.stringify(attempt)).toBeTruthy()
      expect(delivery).toMatchObject({ state: "waiting", retry: 1, next_attempt_at: instantAfter(start, 60_000) })
    })

    test("a closed connection is a reset", async () => {
      const { attempt, real } = await at("reset")
      expect(attempt).toMatchObject({ outcome: "reset", status_code: null, response: null })
      expect(real.received).toHaveLength(1)
    })

    test("https:// at a receiver without TLS is a tls failure", async () => {
      const real = await receiver(() => ({ status: 200 }))
      const { attempt } = await deliver(real.url.replace("http:", "https:"))
      expect(attempt).toMatchObject({ outcome: "tls", status_code: null, response: null })
      expect(real.received).toEqual([])
    })

    test("http://localhost is accepted as loopback", async () => {
      const real = await receiver(() => ({ status: 200 }))
      const { attempt } = await deliver(real.url.replace("127.0.0.1", "localhost"))
      expect(attempt).toMatchObject({ outcome: "success" })
      expect(real.received).toHaveLength(1)
    })

    describe("a receiver that never answers", () => {
      const config = { real_timeout_ms: 100 }

      test("is a timeout after real_timeout_ms, whose end is pending at 30 s of virtual time", async () => {
        const { world, moved, delivery } = await at("silence", config)
        expect(moved.fired).toMatchObject([{ kind: "attempt", at: start, outcome: null }])
        expect(moved.next).toMatchObject({
          at: instantAfter(start, 30_000),
          kind: "attempt_end",
          id: delivery.id,
          attempt: 1
        })
        expect(delivery.state).toBe("attempting")
        const { now, fired } = await world.advance({ next: true })
        expect([now, fired]).toEqual([instantAfter(start, 30_000), []])
        const [ended] = await world.deliveries()
        expect(ended).toMatchObject({ state: "waiting", next_attempt_at: instantAfter(start, 60_000) })
        expect(ended?.attempts[0]).toMatchObject({ outcome: "timeout", status_code: null, duration_ms: 30_000 })
      })

      test("is retried on schedule", async () => {
        const real = await receiver((_, nth) => (nth === 0 ? "silence" : { status: 200 }))
        const world = await emulator.start(hooked([200], { url: real.url }), { config })
        await world.addToFolder("f1", uuid(1))
        const { fired, now } = await world.advance({ until: "idle" })
        expect(fired).toMatchObject([
          { attempt: 1, elapsed_ms: 0, outcome: "timeout" },
          { attempt: 2, elapsed_ms: 60_000, outcome: "success" }
        ])
        expect(now).toBe(instantAfter(start, 60_000))
      })
    })

    describe("a receiver that is not on loopback", () => {
      test.each([
        "https://crm.example/hook",
        "https://192.0.2.1/hook",
        "https://10.0.0.1/hook",
        "https://169.254.169.254/latest/meta-data",
        "https://[2001:db8::1]/hook",
        "https://localhost.example/hook"
      ])("%s is blocked, and retried on schedule", async (url) => {
        const { attempt, delivery } = await deliver(url)
        expect(attempt).toMatchObject({ outcome: "blocked", status_code: null, response: null, duration_ms: 0 })
        expect(delivery).toMatchObject({ state: "waiting", retry: 1 })
      })

      test("is called if allow_receivers names its host", async () => {
        const config = { allow_receivers: ["receiver.invalid"], real_timeout_ms: 2_000 }
        const { attempt, world } = await deliver("https://receiver.invalid/hook", config)
        // There is no such host, and there never will be (RFC 6761): it was looked up, and not found.
        expect(attempt?.outcome).toBe("dns")
        expect(world.object.config.allow_receivers).toEqual(["receiver.invalid"])
      })
    })

    test("each of many deliveries at one instant is attempted once, in the order of creation", async () => {
      const real = await receiver(() => ({ status: 200 }))
      const automations = Array.from({ length: 12 }, (_, n) => ({ id: `a${n}`, folder: "f1", url: real.url }))
      const world = await emulator.start(hooked([200], {}, { automations }))
      const ids = await world.addToFolder("f1", uuid(1))
      expect(ids).toHaveLength(12)
      const { fired } = await world.advance({ next: true })
      expect(fired.map(({ id, at, outcome }) => [id, at, outcome])).toEqual(ids.map((id) => [id, start, "success"]))
      expect(real.received).toHaveLength(12)
      expect(bodyOf<{ in_flight: number }>(await world.control("")).in_flight).toBe(0)
    })
  })
