import { beforeEach, describe, expect, test } from "vitest"
import { acme, ada, bob, eve } from "../../support/acme.ts"
import { type Emulator, refusalOf, type World } from "../../support/emulator.ts"
import { signIn } from "../../support/settings.ts"
import { blackbox, bodyOf, refusalV2 } from "../../support/target.ts"
import { emulatorAlone } from "../targets.ts"

/** PATCH {c}/account: the account's name and API access, changed as its operator does (S4). */

interface Entries {
  readonly audit_entries: ReadonlyArray<Record<string, unknown>>
}

export const targets = emulatorAlone

export const suite = (emulator: Emulator): void =>
  blackbox(emulator, "PATCH {c}/account", () => {
    let world: World
    beforeEach(async () => {
      world = await emulator.start(acme({}))
    })
    const patch = (json: unknown) => world.control("/account", { method: "PATCH", json })
    const status = async (token: string) => (await world.fetch("/api/v2/recordings", { token })).status

    test("S4: switches API access off and on; tokens are 403 while it is off, and sessions keep working", async () => {
      const session = await signIn(world, "ada@acme.test")
      expect(bodyOf(await patch({ api_access: false }))).toEqual({ id: 1, name: "Acme", api_access: false })
      expect([await status(ada), await status(bob)]).toEqual([403, 403])
      refusalV2(await world.fetch("/api/settings/folders", { token: ada }), 403)
      expect(await session.get("/account")).toMatchObject({ id: 1, name: "Acme", api_access: false, sharing: "public" })
      expect(bodyOf(await patch({ api_access: true }))).toEqual({ id: 1, name: "Acme", api_access: true })
      expect(await status(ada)).toBe(200)
    })

    test("accepts a name, and another account by its id", async () => {
      expect(bodyOf(await patch({ name: "Renamed" }))).toEqual({ id: 1, name: "Renamed", api_access: true })
      expect(bodyOf(await patch({ api_access: true, account: 2 }))).toEqual({ id: 2, name: "Closed", api_access: true })
      expect(await status(eve)).toBe(200)
    })

    test("writes an audit entry without a user, and none for a repeat", async () => {
      await patch({ api_access: false })
      await patch({ api_access: false })
      const { audit_entries } = await (await signIn(world, "ada@acme.test")).get<Entries>("/audit-entries")
      expect(audit_entries).toMatchObject([
        { event_type: "account.updated", user: null, metadata: { changes: { api_access: { from: true, to: false } } } }
      ])
    })

    describe("is 400 with the path", () => {
      test.each<[unknown, string, string]>([
        [{ apiAccess: false }, "apiAccess", "unknown key (did you mean api_access?)"],
        [{ api_access: "off" }, "api_access", "must be true or false"],
        [{ name: " " }, "name", "must not be blank"],
        [{ name: "a\u0000b" }, "name", "must not contain NUL or a lone surrogate"],
        [{ name: "a".repeat(256) }, "name", "must be at most 255 characters long"],
        [
          { account: 1 },
          "",
          "The body must have at least one of name, api_access, sharing, embed_origins, link_previews, helpdesk_addresses"
        ]
      ])("refuses %j", async (json, path, message) => {
        expect(refusalOf(await patch(json)).errors).toEqual([{ path, message }])
      })
    })

    test("is 404 for an unknown account", async () => {
      bodyOf(await patch({ name: "x", account: 99 }), 404)
    })
  })
