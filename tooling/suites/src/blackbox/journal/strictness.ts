import { beforeAll, expect, test } from "vitest"
import { ada, bob, cyd, eve, uuid } from "../../support/acme.ts"
import type { Emulator, World } from "../../support/emulator.ts"
import { hooked, recording } from "../../support/hooks.ts"
import type { Call } from "../../support/http.ts"
import { signIn } from "../../support/settings.ts"
import type { JournalEntry } from "../../support/shapes.ts"
import { blackbox } from "../../support/target.ts"
import { emulatorAlone } from "../targets.ts"

/** Strictness: a request that is refused is answered as production would, and the journal says by which rule. */

const list = "/api/v2/recordings"
const one = `${list}/${uuid(1)}`
const patch = (json: unknown): Call => ({ method: "PATCH", token: ada, json })

export const targets = emulatorAlone

export const suite = (emulator: Emulator): void =>
  blackbox(emulator, "Strictness: the rule in the journal", () => {
    let world: World
    beforeAll(async () => {
      const recordings = [recording, { ...recording, uuid: uuid(2), video: { original: { size: 10 } } }]
      world = await emulator.start(hooked([200], {}, { recordings }))
    }, 60_000)
    /** The journal's entry of a request. */
    const entryOf = async (path: string, call: Call = { token: ada }): Promise<JournalEntry | undefined> => {
      const since = await world.lastSeq()
      await world.fetch(path, call)
      const [entry, ...more] = await world.journal(`?kind=request&since=${since}`)
      expect(more).toEqual([])
      return entry
    }

    test.each<[number, string, string, Call]>([
      [401, "Authentication 3", list, {}],
      [401, "Authentication 3", list, { token: "unknown" }],
      [401, "Authentication 3", "/api/v1/nope", {}],
      [403, "General rules 1", list, { token: eve }],
      [403, "Authentication 4", "/api/v2/users", { token: bob }],
      [403, "Authentication 4", one, { ...patch({ recording: { title: "x" } }), token: bob }],
      [404, "R2", "/api/v2/nope", { token: ada }],
      [404, "R2", "/api/v1/nope", { token: ada }],
      [404, "R5", `${list}/nope`, { token: ada }],
      [404, "R4", one, { token: cyd }],
      [404, "R4", `${one}/transcript`, { token: cyd }],
      [404, "W12", `/r/${uuid(99)}`, {}],
      [405, "R20", list, { token: ada, method: "DELETE" }],
      [400, "R9", `${list}?page=0`, { token: ada }],
      [400, "R9", `${one}/transcript?page=x`, { token: ada }],
      [400, "R10", `${list}?ticket_id=`, { token: ada }],
      [400, "R10", `${list}?provider=zendesk`, { token: ada }],
      [400, "R11", one, patch({})],
      [400, "R11", one, { method: "PATCH", token: ada }],
      [422, "R11", one, patch({ recording: { title: null } })],
      [415, "R20", one, { method: "PATCH", token: ada, body: "x", headers: { "content-type": "text/plain" } }],
      [413, "R20", one, patch({ recording: { title: "a".repeat(1_048_577) } })],
      [414, "R20", `${list}?ticket_id=${"1".repeat(20_000)}`, { token: ada }],
      [400, "R16", "/api/v2/users/search", { token: ada }],
      [404, "Errors", "/api/v2/users/search?email=no@one.test", { token: ada }],
      [409, "R12", `${one}/download`, { token: ada }],
      [416, "R12", `${list}/${uuid(2)}/download`, { token: ada, headers: { range: "bytes=99-" } }],
      [404, "S1", "/api/settings/folders/nope", { token: ada }],
      [403, "S1", "/api/settings/folders", { token: bob, method: "POST", json: { name: "x" } }]
    ])("%i is recorded with %s: %s", async (status, rule, path, call) => {
      const entry = await entryOf(path, call)
      expect(entry).toMatchObject({ status, rule })
    })

    test.each([
      ["a request that was served", list, { token: ada }],
      ["a page past the end", `${list}?page=9`, { token: ada }],
      ["a public page", `/r/${uuid(1)}`, {}],
      ["a public document", "/api/v2/openapi.json", {}]
    ])("no rule is recorded for %s", async (_, path, call) => {
      expect(await entryOf(path, call)).not.toHaveProperty("rule")
    })

    test("R18: the journal names the rule of a rate limit, and the id of a fault", async () => {
      const limited = await emulator.start(hooked([200]), { config: { rate_limit: { requests: 1, per_ms: 60_000 } } })
      await limited.fetch(list, { token: ada })
      await limited.fetch(list, { token: ada })
      const { id } = (await limited.post("/faults", { match: {}, respond: [401] })).as<{ id: string }>()
      await limited.faultyFetch(list, { token: ada })
      expect((await limited.journal("?kind=request")).map(({ rule, status, user }) => [status, user, rule])).toEqual([
        [200, "ada@acme.test", undefined],
        [429, "ada@acme.test", "R18"],
        [401, null, id]
      ])
    })

    test("refusals of a session by the settings API are recorded with their rule", async () => {
      const settings = await signIn(world, "bob@acme.test")
      const since = await world.lastSeq()
      await settings.ask("GET", "/users")
      expect(await world.journal(`?since=${since}`)).toMatchObject([{ status: 403, user: "bob@acme.test", rule: "S1" }])
    })
  })
