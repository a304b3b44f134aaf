import { describe, expect, test } from "vitest"
import { acme, ada, bob, uuid } from "../../support/acme.ts"
import { type Emulator, pathsOf, type World } from "../../support/emulator.ts"
import type { Call } from "../../support/http.ts"
import type { Recording } from "../../support/shapes.ts"
import { blackbox, bodyOf, keysOf, refusalV1, refusalV2 } from "../../support/target.ts"
import { emulatorAlone } from "../targets.ts"

/** Faults: answers that a test puts in the way of the next requests. */

const list = "/api/v2/recordings"
const one = `${list}/${uuid(1)}`

export const targets = emulatorAlone

export const suite = (emulator: Emulator): void =>
  blackbox(emulator, "Faults", () => {
    const started = (options = {}) =>
      emulator.start(acme({ recordings: [{ uuid: uuid(1), user: "bob@acme.test", title: "Old" }] }), options)
    const fault = async (world: World, match: unknown, respond: ReadonlyArray<unknown>) => {
      const made = bodyOf<{ id: string }>(await world.post("/faults", { match, respond }), 201)
      expect(keysOf(made)).toEqual(["id"])
      expect(made.id).toMatch(/\S/)
      return made.id
    }
    const status = async (world: World, path: string, init: Call = { token: ada }) =>
      (await world.faultyFetch(path, init)).status
    /** Whether the connection was dropped before there was an answer. */
    const dropped = (world: World, path: string, init: Call = { token: ada }) =>
      world.faultyFetch(path, init).then(
        () => false,
        () => true
      )

    describe("each outcome is used once, and then the fault is removed", () => {
      test("outcomes are used in their order, and then the service answers again", async () => {
        const world = await started()
        const id = await fault(world, { path: list }, [503, 500, 503])
        expect([await status(world, list), await status(world, list), await status(world, list)]).toEqual([
          503, 500, 503
        ])
        expect(await status(world, list)).toBe(200)
        bodyOf(await world.control(`/faults/${id}`, { method: "DELETE" }), 404)
      })

      test("a request that does not match uses no outcome", async () => {
        const world = await started()
        await fault(world, { path: list }, [503])
        expect(await status(world, one)).toBe(200)
        expect(await status(world, "/api/v1/recordings")).toBe(200)
        expect(await status(world, list)).toBe(503)
      })

      test("of two matching faults, the older is used first", async () => {
        const world = await started()
        await fault(world, { path: list }, [500])
        await fault(world, { method: "GET" }, [503])
        const seen = [await status(world, list), await status(world, list), await status(world, list)]
        expect(seen.toSorted()).toEqual([200, 500, 503])
      })
    })

    describe("match", () => {
      test.each([
        ["a method", { method: "PATCH" }, false],
        ["the method", { method: "GET" }, true],
        ["the path", { path: one }, true],
        ["a longer path", { path: `${one}/transcript` }, false],
        ["a part of the path", { path: list }, false],
        ["the path with a slash", { path: `${one}/` }, false],
        ["the path and its query", { path: `${one}?a=1` }, false],
        ["the token", { token: ada }, true],
        ["another token", { token: bob }, false],
        ["the method and the path", { method: "GET", path: one }, true],
        ["the path, but another method", { method: "PATCH", path: one }, false],
        ["the path, but another token", { path: one, token: bob }, false],
        ["all three", { method: "GET", path: one, token: ada }, true],
        ["a path with * for a segment", { path: `${list}/*` }, true],
        ["a path with * for no segment", { path: `${one}/*` }, false],
        ["a path with * for several segments", { path: "/api/*" }, false],
        ["a path with ** for the rest", { path: "/api/**" }, true],
        ["a path with * and **", { path: "/*/v2/**" }, true],
        ["another path with **", { path: "/api/v1/**" }, false],
        ["nothing", {}, true]
      ])("%s, %j, decides whether it matches", async (_, match, answers) => {
        const world = await started()
        await fault(world, match, [503])
        expect(await status(world, one)).toBe(answers ? 503 : 200)
      })

      test("the path is compared without the request's query", async () => {
        const world = await started()
        await fault(world, { path: list }, [503])
        expect(await status(world, `${list}?page=1&ticket_id=4711`)).toBe(503)
      })

      test("the path is compared below the world, and other worlds are not affected", async () => {
        const [world, other] = [await started(), await started()]
        await fault(world, { path: list }, [503])
        await fault(other, { path: new URL(`${world.baseUrl}${list}`).pathname }, [500])
        expect(await status(other, list)).toBe(200)
        expect(await status(world, list)).toBe(503)
      })

      test("the public pages can have faults too", async () => {
        const world = await started()
        await fault(world, { path: `/r/${uuid(1)}` }, [503])
        expect(await status(world, `/r/${uuid(1)}`, {})).toBe(503)
        expect(await status(world, `/r/${uuid(1)}`, {})).toBe(200)
      })

      test("a fault for any request does not affect the control plane", async () => {
        const world = await started()
        await fault(world, {}, [503])
        bodyOf(await world.control("/clock"))
        bodyOf(await world.post("/clock/advance", { by: 1 }))
        expect(await status(world, list)).toBe(503)
      })
    })

    describe("a fault answers before any other check", () => {
      test.each([
        ["401, without a token", list, {}],
        ["401, with an unknown one", list, { token: "unknown" }],
        ["403", "/api/v2/users", { token: bob }],
        ["404", "/api/v2/nope", { token: ada }],
        ["405", list, { token: ada, method: "DELETE" }],
        ["400", `${list}?page=0`, { token: ada }],
        ["422", one, { token: ada, method: "PATCH", json: { recording: { title: null } } }],
        ["415", one, { token: ada, method: "PATCH", body: "x", headers: { "content-type": "text/plain" } }],
        ["413", one, { token: ada, method: "PATCH", json: { recording: { title: "a".repeat(1_048_577) } } }]
      ])("it precedes %s", async (instead, path, init) => {
        const world = await started()
        const [first] = instead.split(",")
        await fault(world, {}, [503])
        expect(await status(world, path, init)).toBe(503)
        expect(String(await status(world, path, init))).toBe(first)
      })

      test("it precedes 429, and the rate limit does not count it", async () => {
        const world = await started({ config: { rate_limit: { requests: 1, per_ms: 60_000 } } })
        await fault(world, {}, [500])
        expect(await status(world, list)).toBe(500)
        expect(await status(world, list)).toBe(200)
        await fault(world, {}, [500])
        expect(await status(world, list)).toBe(500)
        expect(await status(world, list)).toBe(429)
      })

      test("the service does not handle the request: nothing changes, no view is counted, no audit entry is written", async () => {
        const world = await started()
        const before = bodyOf<Recording>(await world.fetch(one, { token: ada }))
        await fault(world, {}, [500, 500, 500])
        await status(world, one, { token: ada, method: "PATCH", json: { recording: { title: "New" } } })
        await status(world, `/r/${uuid(1)}`, {})
        await status(world, "/api/v2/users", { token: bob })
        expect(bodyOf(await world.fetch(one, { token: ada }))).toEqual(before)
        expect(await world.deliveries()).toEqual([])
      })
    })

    describe("the answer of a fault", () => {
      test.each([400, 401, 403, 404, 409, 422, 429, 500, 502, 503])(
        "a status of %i has the error shape of the version",
        async (code) => {
          const world = await started()
          await fault(world, {}, [code, code, { status: code }])
          refusalV2(await world.faultyFetch(one, { token: ada }), code)
          refusalV1(await world.faultyFetch("/api/v1/recordings", { token: ada }), code)
          expect(await status(world, one)).toBe(code)
        }
      )

      test("{status, headers, body} is sent unchanged", async () => {
        const world = await started()
        const body = '{"error":"Down for an hour ☕"}'
        await fault(world, {}, [{ status: 503, headers: { "retry-after": "3600", "content-type": "text/x" }, body }])
        const answer = await world.faultyFetch("/nowhere", { token: ada })
        expect([answer.status, answer.text], String(answer)).toEqual([503, body])
        expect(answer.header("retry-after")).toBe("3600")
        expect(answer.header("content-type")).toBe("text/x")
      })

      test("R3: has its own X-Request-Id and the virtual date", async () => {
        const world = await started({ now: "2030-06-01T10:00:00.000Z" })
        await fault(world, {}, [503, { status: 500, body: "x" }, { status: 200, headers: { "x-a": "b" }, body: "y" }])
        const answers = []
        for (let n = 0; n < 3; n += 1) answers.push(await world.faultyFetch(one, { token: ada }))
        for (const answer of answers) {
          expect(answer.header("x-request-id") ?? "", String(answer)).toMatch(/^\S+$/)
          expect(answer.header("date"), String(answer)).toBe("Sat, 01 Jun 2030 10:00:00 GMT")
        }
        expect(new Set(answers.map((answer) => answer.header("x-request-id"))).size).toBe(3)
      })

      test("a 2xx is sent like any other answer", async () => {
        const world = await started()
        await fault(world, {}, [{ status: 200, headers: { "content-type": "text/x" }, body: "[]" }])
        const answer = await world.faultyFetch("/nowhere", { token: ada })
        expect([answer.status, answer.text], String(answer)).toEqual([200, "[]"])
      })

      test("reset closes the connection, and the next request is served", async () => {
        const world = await started()
        await fault(world, {}, ["reset", 503, "reset"])
        expect(await dropped(world, one)).toBe(true)
        expect(await status(world, one)).toBe(503)
        expect(await dropped(world, one, { token: ada, method: "PATCH", json: { recording: { title: "New" } } })).toBe(
          true
        )
        expect(bodyOf<Recording>(await world.fetch(one, { token: ada })).title).toBe("Old")
      })
    })

    test("a request whose connection was reset has the status 0 in the journal", async () => {
      const world = await started()
      const id = await fault(world, { path: one }, ["reset"])
      await dropped(world, one)
      expect(await world.journal("?kind=request")).toMatchObject([{ path: one, status: 0, user: null, rule: id }])
    })

    test("GET {c}/faults lists what is left of each fault, and how many requests it answered", async () => {
      const world = await started()
      const id = await fault(world, { path: `${list}/*` }, [503, "reset", "timeout"])
      const unused = await fault(world, { method: "PUT" }, [500])
      expect(await status(world, one)).toBe(503)
      expect(bodyOf(await world.control("/faults"))).toEqual({
        faults: [
          { id, match: { path: `${list}/*` }, respond: ["reset", "timeout"], used: 1 },
          { id: unused, match: { method: "PUT" }, respond: [500], used: 0 }
        ]
      })
      await dropped(world, one)
      await world.reset()
      expect(bodyOf(await world.control("/faults"))).toEqual({ faults: [] })
    })

    test("timeout answers nothing until the world is reset", async () => {
      const world = await started()
      const id = await fault(world, { path: one }, ["timeout"])
      const ended = dropped(world, one)
      bodyOf(await world.post("/journal/wait", { match: { kind: "fault" }, since: 0 }))
      expect(await world.journal("?kind=request")).toMatchObject([{ path: one, status: 0, user: null, rule: id }])
      await world.reset()
      expect(await ended).toBe(true)
      expect(await status(world, one)).toBe(200)
    })

    describe("faults are removed", () => {
      test("DELETE {c}/faults/{id} removes one fault, with 204 and no body", async () => {
        const world = await started()
        const first = await fault(world, { path: list }, [503])
        await fault(world, { path: one }, [503])
        const answer = await world.control(`/faults/${first}`, { method: "DELETE" })
        expect([answer.status, answer.body.length], String(answer)).toEqual([204, 0])
        expect([await status(world, list), await status(world, one)]).toEqual([200, 503])
      })

      test("DELETE {c}/faults removes all faults, with 204 even if there are none", async () => {
        const world = await started()
        await fault(world, { path: list }, [503])
        await fault(world, { path: one }, [503])
        for (let n = 0; n < 2; n += 1) {
          const answer = await world.control("/faults", { method: "DELETE" })
          expect([answer.status, answer.body.length], String(answer)).toEqual([204, 0])
        }
        expect([await status(world, list), await status(world, one)]).toEqual([200, 200])
      })

      test("an unknown fault, or one of another world, is 404", async () => {
        const [world, other] = [await started(), await started()]
        bodyOf(await world.control("/faults/nope", { method: "DELETE" }), 404)
        const id = await fault(world, {}, [503])
        bodyOf(await other.control(`/faults/${id}`, { method: "DELETE" }), 404)
        expect(await status(world, list)).toBe(503)
      })

      test("a reset of the world removes all faults", async () => {
        const world = await started()
        const id = await fault(world, {}, [503])
        await world.reset()
        expect(await status(world, list)).toBe(200)
        bodyOf(await world.control(`/faults/${id}`, { method: "DELETE" }), 404)
      })
    })

    describe("an invalid fault is 400 and changes nothing", () => {
      test.each([
        ["match", { respond: [503] }],
        ["match", { match: "all", respond: [503] }],
        ["match.colour", { match: { colour: "red" }, respond: [503] }],
        ["match.path", { match: { path: 5 }, respond: [503] }],
        ["match.method", { match: { method: null }, respond: [503] }],
        ["match.token", { match: { token: 1 }, respond: [503] }],
        ["respond", { match: {} }],
        ["respond", { match: {}, respond: 503 }],
        ["match.path", { match: { path: "/api/v2/rec*" }, respond: [503] }],
        ["match.path", { match: { path: "/api/**/recordings" }, respond: [503] }],
        ["respond[0]", { match: {}, respond: ["refused"] }],
        ["respond[0]", { match: {}, respond: ["dns"] }],
        ["respond[0]", { match: {}, respond: ["tls"] }],
        ["respond[1]", { match: {}, respond: [503, 99] }],
        ["respond[0]", { match: {}, respond: [600] }],
        ["respond[0].after", { match: {}, respond: [{ status: 503, after: "PT1S" }] }],
        ["respond[0].status", { match: {}, respond: [{ body: "x" }] }],
        ["respond[0].headers", { match: {}, respond: [{ status: 503, headers: ["x"] }] }],
        ["id", { id: "mine", match: {}, respond: [503] }]
      ])("is refused at %s: %j", async (path, json) => {
        const world = await started()
        const paths = pathsOf(await world.post("/faults", json))
        expect(
          paths.some((each) => each === path || each.startsWith(`${path}.`)),
          String(paths)
        ).toBe(true)
        expect(await status(world, list)).toBe(200)
      })
    })
  })
