import { expect, test } from "vitest"
import { acme, ada, bob, uuid } from "../support/acme.ts"
import type { Emulator, World } from "../support/emulator.ts"
import type { Answer } from "../support/http.ts"
import { blackbox, bodyOf, refusalV1, refusalV2 } from "../support/target.ts"

/** R18: the rate limit, off by default; by token when it is set. R1: where it stands among the refusals. */

export const suite = (emulator: Emulator): void =>
  blackbox(emulator, "R18: rate limit", () => {
    const limited = (requests: number) =>
      emulator.start(acme({ recordings: [{ uuid: uuid(1) }] }), {
        config: { rate_limit: { requests, per_ms: 60_000 } }
      })
    const list = (world: World, token: string, version = "v2") => world.fetch(`/api/${version}/recordings`, { token })
    const exhausted = async () => {
      const world = await limited(1)
      bodyOf(await list(world, ada))
      return world
    }
    const retryAfter = (answer: Answer) => {
      const value = answer.header("retry-after")
      expect(value, String(answer)).toMatch(/^[1-9]\d*$/)
      return Number(value)
    }

    test("none by default", async () => {
      const world = await emulator.start(acme({}))
      for (let n = 0; n < 300; n += 1) expect((await list(world, ada)).status).toBe(200)
    })

    test("429 with Retry-After, in the error shape of the version", async () => {
      const world = await limited(2)
      bodyOf(await list(world, ada))
      bodyOf(await list(world, ada, "v1"))
      const v2 = await list(world, ada)
      refusalV2(v2, 429)
      const v1 = await list(world, ada, "v1")
      refusalV1(v1, 429)
      for (const answer of [v1, v2]) expect(retryAfter(answer)).toBeLessThanOrEqual(60)
    })

    test("by token: another's is not touched", async () => {
      const world = await exhausted()
      refusalV2(await list(world, ada), 429)
      bodyOf(await list(world, bob))
    })

    test("after Retry-After, in virtual time, it serves again", async () => {
      const world = await exhausted()
      const seconds = retryAfter(await list(world, ada))
      await world.advance({ by: seconds * 1_000 - 1_001 })
      refusalV2(await list(world, ada), 429)
      await world.advance({ by: 1_001 })
      bodyOf(await list(world, ada))
    })

    test("the control plane and the public pages have none", async () => {
      const world = await exhausted()
      for (let n = 0; n < 3; n += 1) {
        bodyOf(await world.control("/clock"))
        expect((await world.fetch(`/r/${uuid(1)}`)).status).toBe(200)
        bodyOf(await world.fetch("/api/v2/openapi.json"))
      }
    })

    test.each([
      [413, "413 before 429", "/recordings", { method: "POST", json: "a".repeat(1_048_577) }],
      [414, "414 before 429", `/recordings?ticket_id=${"1".repeat(20_000)}`, {}],
      [401, "401 before 429", "/recordings", { token: "unknown" }],
      [429, "429 before 404 (path)", "/nope", {}],
      [429, "429 before 405", "/recordings", { method: "DELETE" }],
      [429, "429 before 400", "/recordings?page=0", {}],
      [429, "429 before 404 (record)", `/recordings/${uuid(99)}`, {}]
    ])("R1: %i: %s", async (first, _, path, call) => {
      const world = await exhausted()
      refusalV2(await world.fetch(`/api/v2${path}`, { token: ada, ...call }), first)
    })

    test("R1: 429 before 403", async () => {
      const config = { rate_limit: { requests: 1, per_ms: 60_000 } }
      const world = await emulator.start(acme({}), { config })
      refusalV2(await list(world, "token-of-eve"), 403)
      refusalV2(await list(world, "token-of-eve"), 429)
      refusalV2(await world.fetch("/api/v2/users", { token: bob }), 403)
      refusalV2(await world.fetch("/api/v2/users", { token: bob }), 429)
    })
  })
