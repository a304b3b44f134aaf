import { expect, test } from "vitest"
import { acme, ada, uuid } from "../../support/acme.ts"
import { type Emulator, refusalOf, type World } from "../../support/emulator.ts"
import { blackbox, bodyOf, keysOf } from "../../support/target.ts"
import { emulatorAlone } from "../targets.ts"

/** Sessions: a user who is signed in, for the settings API. */

export const targets = emulatorAlone

export const suite = (emulator: Emulator): void =>
  blackbox(emulator, "POST {c}/sessions", () => {
    const started = () => emulator.start(acme({ recordings: [{ uuid: uuid(1), user: "bob@acme.test" }] }))
    const session = async (world: World, user: string) => {
      const made = bodyOf<{ token: string }>(await world.post("/sessions", { user }), 201)
      expect(keysOf(made)).toEqual(["token"])
      return made.token
    }

    test("returns 201 {token}, a new one each time", async () => {
      const world = await started()
      const tokens = [await session(world, "ada@acme.test"), await session(world, "ada@acme.test")]
      for (const token of tokens) expect(token).toMatch(/^\S+$/)
      expect(tokens[0]).not.toBe(tokens[1])
      expect(tokens).not.toContain(ada)
    })

    test("returns no access token: v2 and v1 answer 401", async () => {
      const world = await started()
      const token = await session(world, "ada@acme.test")
      for (const path of ["/api/v2/recordings", "/api/v1/recordings", "/api/v2/users"]) {
        expect((await world.fetch(path, { token })).status, path).toBe(401)
      }
    })

    test("does not add to the world's tokens, and the user's own token stays valid", async () => {
      const world = await started()
      await session(world, "ada@acme.test")
      const { tokens } = bodyOf<{ tokens: Record<string, string> }>(await world.control(""))
      expect(tokens["ada@acme.test"]).toBe(ada)
      expect((await world.fetch("/api/v2/recordings", { token: ada })).status).toBe(200)
    })

    test("requires no token", async () => {
      expect(await session(await started(), "bob@acme.test")).toMatch(/\S/)
    })

    test("is 404 for an unknown user, and for one of another world", async () => {
      const [world, other] = [await started(), await emulator.start({})]
      bodyOf(await world.post("/sessions", { user: "unknown@acme.test" }), 404)
      bodyOf(await other.post("/sessions", { user: "ada@acme.test" }), 404)
    })

    test.each([
      ["user", {}],
      ["user", { user: 5 }],
      ["user", { user: null }],
      ["name", { user: "ada@acme.test", name: "x" }]
    ])("is 400 and names %s: %j", async (path, json) => {
      const world = await started()
      expect(refusalOf(await world.post("/sessions", json)).errors.map((error) => error.path)).toEqual([path])
    })

    test("returns the same token for the same seed, and after a reset", async () => {
      const [world, other] = [await started(), await started()]
      const token = await session(world, "ada@acme.test")
      expect(await session(other, "ada@acme.test")).toBe(token)
      await world.reset()
      expect(await session(world, "ada@acme.test")).toBe(token)
    })
  })
