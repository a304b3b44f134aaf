import { describe, expect, it } from "vitest"
import { makeSettings } from "./settingsWorld.ts"

const jpeg = new Uint8Array([0xff, 0xd8, 0xff, 0xe0, 1, 2, 3])

describe("the caller's own profile", () => {
  it("can be read and changed by a member: name and mail, each change with an audit entry", async () => {
    const { ask, entries } = await makeSettings()
    const bob = { as: "bob" } as const
    const before = (await ask("GET /profile", bob)).body
    expect(before).toMatchObject({ id: 2, role: "member" })
    const json = { name: "Robert", notifications: { notify_first_view: "Disabled" } }
    const changed = await ask("PATCH /profile", { ...bob, json })
    expect(changed).toMatchObject({
      status: 200,
      body: { name: "Robert", notifications: { ...before.notifications, notify_first_view: "Disabled" } }
    })
    expect((await ask("GET /users/2")).body).toEqual(changed.body)
    const count = entries().length
    expect(entries().at(-1)).toMatchObject({ eventType: "user.updated", userId: 2, metadata: { targetId: "2" } })
    await ask("PATCH /profile", { ...bob, json })
    expect(entries()).toHaveLength(count)
  })

  it("does not accept a role or an address", async () => {
    const { ask } = await makeSettings()
    for (const json of [{ role: "admin" }, { email: "new@acme.test" }]) {
      const answer = await ask("PATCH /profile", { as: "bob", json })
      expect([answer.status, answer.body.error]).toEqual([400, `${Object.keys(json)[0]}: unknown key`])
    }
    const blank = await ask("PATCH /profile", { as: "bob", json: { name: " " } })
    expect(blank.status).toBe(422)
  })

  it("has a picture that a member uploads, reads and removes", async () => {
    const { ask } = await makeSettings()
    const bob = { as: "bob" } as const
    expect((await ask("GET /profile/picture", bob)).status).toBe(404)
    expect(await ask("PUT /profile/picture", { ...bob, body: jpeg })).toMatchObject({
      status: 200,
      body: { id: 2, has_profile_picture: true }
    })
    expect(Buffer.from((await ask("GET /profile/picture", bob)).body)).toEqual(Buffer.from(jpeg))
    expect((await ask("GET /users/2/picture")).status).toBe(200)
    expect((await ask("DELETE /profile/picture", bob)).status).toBe(204)
    expect((await ask("GET /profile/picture", bob)).status).toBe(404)
  })
})

describe("the chain of the audit log", () => {
  it("shows admins its end and the number of entries without a link", async () => {
    const { ask, entries } = await makeSettings()
    await ask("POST /folders", { json: { name: "New" } })
    expect((await ask("GET /audit-chain")).body).toEqual({ head: null, waiting: entries().length })
  })
})

describe("a token's last use", () => {
  it("is shown to its user with a precision of a minute", async () => {
    const world = await makeSettings()
    const made = await world.ask("POST /tokens", { json: { name: "CI" } })
    const lastUse = async () => (await world.ask(`GET /tokens/${made.body.id}`)).body.last_used_at
    expect(made.body.last_used_at).toBeNull()
    const use = () =>
      world.fetch("/api/v2/recordings", { as: null, headers: { authorization: `Bearer ${made.body.token}` } })
    await use()
    const first = await lastUse()
    expect(first).toBe("2026-03-01T12:00:00.000Z")
    await world.wait(59_999)
    await use()
    expect(await lastUse()).toBe(first)
    await world.wait(1)
    await use()
    expect(await lastUse()).toBe("2026-03-01T12:01:00.000Z")
  })
})
