import { settings } from "@tapedeck/contract"
import { describe, expect, it } from "vitest"
import { ids } from "./fixtures.ts"
import { makeSettings } from "./settingsWorld.ts"

/** A request to each endpoint that takes an `Idempotency-Key`, and its status. */
const keyed: Readonly<Record<string, { readonly path: string; readonly json?: object; readonly status: number }>> = {
  "/folders": { path: "/folders", json: { name: "New" }, status: 201 },
  "/recordings": { path: "/recordings", json: { title: "New" }, status: 201 },
  "/recordings/:uuid/transcript/request": { path: `/recordings/${ids.adas}/transcript/request`, status: 200 },
  "/recordings/:uuid/summary/request": { path: `/recordings/${ids.adas}/summary/request`, status: 409 },
  "/automations": { path: "/automations", json: { folder_id: "vip", url: "https://new.test/" }, status: 201 },
  "/automations/:id/secret/rotate": { path: "/automations/crm/secret/rotate", json: { secret: "new" }, status: 200 },
  "/automations/:id/deliveries/:delivery_id/redeliver": {
    path: "/automations/crm/deliveries/none/redeliver",
    status: 404
  },
  "/audit-destinations": { path: "/audit-destinations", json: { name: "N", url: "https://new.test/" }, status: 201 },
  "/audit-destinations/:id/secret/rotate": {
    path: "/audit-destinations/siem/secret/rotate",
    json: { secret: "new" },
    status: 200
  },
  "/audit-destinations/:id/deliveries/:delivery_id/redeliver": {
    path: "/audit-destinations/siem/deliveries/none/redeliver",
    status: 404
  },
  "/capture-links": { path: "/capture-links", json: { title: "New" }, status: 201 },
  "/captures": { path: "/captures", json: { title: "New" }, status: 201 },
  "/sites": { path: "/sites", json: { name: "New", origins: ["https://new.test"] }, status: 201 },
  "/deliveries/:id/cancel": { path: "/deliveries/none/cancel", status: 404 },
  "/redeliveries": { path: "/redeliveries", json: { event: "none" }, status: 201 },
  "/redeliveries/:id/stop": { path: "/redeliveries/none/stop", status: 404 },
  "/users": { path: "/users", json: { email: "new@acme.test", name: "New" }, status: 201 },
  "/users/:id/deactivate": { path: "/users/2/deactivate", status: 200 },
  "/users/:id/reactivate": { path: "/users/2/reactivate", status: 200 }
}

/** For these a kept answer is of no use, or a risk. */
const unkeyed = [
  "/automations/:id/test",
  "/audit-destinations/:id/test",
  "/tokens",
  "/recordings/:uuid/share-links",
  "/users/:id/password-link",
  "/sign-in",
  "/sign-in/link",
  "/sign-in/forgotten",
  "/sign-out",
  "/password"
]

const posts = Object.values(settings.Api.groups)
  .flatMap((group) => Object.values(group.endpoints))
  .filter(({ method }) => method === "POST")
const pathsOf = (takesKey: boolean) =>
  posts
    .filter(({ middlewares }) => (middlewares as ReadonlySet<unknown>).has(settings.IdempotentPost) === takesKey)
    .map(({ path }) => path.slice("/api/settings".length))

describe("POSTs of the settings API", () => {
  it("accept an Idempotency-Key, except sign-in, sign-out, password, token, share link, upload and send-test calls", () => {
    expect(pathsOf(true).toSorted()).toEqual(Object.keys(keyed).toSorted())
    expect(pathsOf(false).toSorted()).toEqual(unkeyed.toSorted())
  })

  it.each(Object.values(keyed))("run $path once, and repeat its first answer", async ({ path, json, status }) => {
    const world = await makeSettings()
    const made = () => world.ask(`POST ${path}`, { headers: { "idempotency-key": "k1" }, ...(json && { json }) })
    const first = await made()
    const [entries, deliveries] = [world.entries().length, (await world.deliveries()).length]
    const again = await made()
    expect([first.status, again.status]).toEqual([status, status])
    expect(again.body).toEqual(first.body)
    expect([first, again].map(({ headers }) => headers.get("idempotency-replayed"))).toEqual([null, "true"])
    expect([world.entries().length, (await world.deliveries()).length]).toEqual([entries, deliveries])
    const other = await world.ask(`POST ${path}`, { headers: { "idempotency-key": "a b" }, ...(json && { json }) })
    expect(other.status).toBe(400)
  })

  it.each(unkeyed)("%s ignores the header, whatever its value", async (path) => {
    const world = await makeSettings()
    const call = `POST ${path.replace(/:\w+/g, "none")}`
    const without = await world.ask(call, { json: {} })
    const withKey = await world.ask(call, { json: {}, headers: { "idempotency-key": "a b" } })
    // A sign-out has ended the session.
    expect([without.status, 401]).toContain(withKey.status)
    expect(withKey.body?.error ?? "").not.toContain("Idempotency-Key")
    expect(world.memory.state().storedResponses.size).toBe(0)
  })
})
