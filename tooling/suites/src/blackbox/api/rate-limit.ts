import { beforeAll, describe, expect, test } from "vitest"
import { acme, ada, uuid } from "../../support/acme.ts"
import type { Emulator } from "../../support/emulator.ts"
import type { Answer } from "../../support/http.ts"
import { blackbox, bodyOf, type Running, refusalV1, refusalV2, type Target } from "../../support/target.ts"
import { onStores } from "../targets.ts"

/** R18: the rate limit, off by default; by token when it is set. R1: where it stands among the refusals. */

const list = (running: Running, token: string, version = "v2") => running.fetch(`/api/${version}/recordings`, { token })

const retryAfter = (answer: Answer) => {
  const value = answer.header("retry-after")
  expect(value, String(answer)).toMatch(/^[1-9]\d*$/)
  return Number(value)
}

const callers = Array.from({ length: 30 }, (_, n) => ({
  id: 101 + n,
  email: `caller-${n}@acme.test`,
  name: `Caller ${n}`,
  role: "member",
  token: `token-of-caller-${n}`,
  account: 1
}))

/** A window that no test outlasts. */
const hourMs = 3_600_000

export const targets = onStores

export const suite = (target: Target): void =>
  blackbox(target, "R18: rate limit", () => {
    let running: Running
    let nth = 0
    beforeAll(async () => {
      const accounts = [
        { id: 1, name: "Acme" },
        { id: 2, name: "Closed", api_access: false }
      ]
      const eve = { id: 21, email: "eve@closed.test", name: "Eve", role: "admin", token: "token-of-eve", account: 2 }
      running = await target.start({
        config: { rate_limit: { requests: 2, per_ms: hourMs } },
        accounts,
        users: [...callers, eve],
        recordings: [{ uuid: uuid(1), account: 1 }]
      })
    }, 60_000)
    /** The token of a caller who has not asked for anything yet. */
    const fresh = () => callers[nth++]!.token
    const exhausted = async () => {
      const token = fresh()
      for (let n = 0; n < 2; n += 1) bodyOf(await list(running, token))
      return token
    }

    test("a request beyond the limit is 429 with Retry-After, in the error shape of the version; v1 and v2 count together", async () => {
      const token = fresh()
      bodyOf(await list(running, token))
      bodyOf(await list(running, token, "v1"))
      const v2 = await list(running, token)
      refusalV2(v2, 429)
      const v1 = await list(running, token, "v1")
      refusalV1(v1, 429)
      for (const answer of [v1, v2]) expect(retryAfter(answer)).toBeLessThanOrEqual(hourMs / 1_000)
    })

    test("the limit counts by token, so that another token is not affected", async () => {
      refusalV2(await list(running, await exhausted()), 429)
      bodyOf(await list(running, fresh()))
    })

    test("concurrent requests are counted separately", async () => {
      const token = fresh()
      const answers = await Promise.all(Array.from({ length: 8 }, () => list(running, token)))
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 429, 429, 429, 429, 429, 429])
    })

    test("the public pages and the OpenAPI documents have no limit", async () => {
      await exhausted()
      for (let n = 0; n < 3; n += 1) {
        expect((await running.fetch(`/r/${uuid(1)}`)).status).toBe(200)
        bodyOf(await running.fetch("/api/v2/openapi.json"))
      }
    })

    describe("R1: 429 in the order of refusals", () => {
      test.each([
        [413, "413 before 429", "/recordings", { method: "POST", json: "a".repeat(1_048_577) }],
        [
          429,
          "429 before 413, length not declared",
          "/recordings",
          { method: "POST", body: "a".repeat(1_048_577), chunked: true }
        ],
        [414, "414 before 429", `/recordings?ticket_id=${"1".repeat(20_000)}`, {}],
        [401, "401 before 429", "/recordings", { token: "unknown" }],
        [429, "429 before 404 (path)", "/nope", {}],
        [429, "429 before 405", "/recordings", { method: "DELETE" }],
        [429, "429 before 403 (permission)", "/users", {}],
        [429, "429 before 400", "/recordings?page=0", {}],
        [
          429,
          "429 before 415",
          `/recordings/${uuid(1)}`,
          { method: "PATCH", body: "x", headers: { "content-type": "text/plain" } }
        ],
        [429, "429 before 404 (record)", `/recordings/${uuid(99)}`, {}],
        [429, "429 before 409", `/recordings/${uuid(1)}/download`, {}],
        [429, "429 before 422", `/recordings/${uuid(1)}`, { method: "PATCH", json: { recording: { title: null } } }]
      ])("%i has this precedence: %s", async (first, _, path, call) => {
        const token = await exhausted()
        refusalV2(await running.fetch(`/api/v2${path}`, { token, ...call }), first)
      })

      test("429 precedes 403 (API access)", async () => {
        for (const status of [403, 403, 429]) refusalV2(await list(running, "token-of-eve"), status)
      })
    })
  })

/** What takes a virtual clock, or a world without a limit. */
export const suiteOnClock = (emulator: Emulator): void =>
  blackbox(emulator, "R18: rate limit over time", () => {
    const exhausted = async () => {
      const config = { rate_limit: { requests: 1, per_ms: 60_000 } }
      const world = await emulator.start(acme({ recordings: [{ uuid: uuid(1) }] }), { config })
      bodyOf(await list(world, ada))
      return world
    }

    test("no limit applies by default", async () => {
      const world = await emulator.start(acme({}))
      for (let n = 0; n < 300; n += 1) expect((await list(world, ada)).status).toBe(200)
    })

    test("requests are served again after Retry-After in virtual time", async () => {
      const world = await exhausted()
      const seconds = retryAfter(await list(world, ada))
      await world.advance({ by: seconds * 1_000 - 1_001 })
      refusalV2(await list(world, ada), 429)
      await world.advance({ by: 1_001 })
      bodyOf(await list(world, ada))
    })

    test("the control plane has no rate limit", async () => {
      const world = await exhausted()
      for (let n = 0; n < 3; n += 1) bodyOf(await world.control("/clock"))
    })
  })
