import { settings } from "@tapedeck/contract"
import { describe, expect, it } from "vitest"
import { ids, uuidOf } from "./fixtures.ts"
import { makeSettings } from "./settingsWorld.ts"

/** Who asks: ada is Acme's admin, bob a member; ned and nia are admin and member of an account without API access. */
const callers = {
  "an admin's session": { as: "ada", by: "session" },
  "an admin's token": { as: "ada", by: "token" },
  "a member's session": { as: "bob", by: "session" },
  "a member's token": { as: "bob", by: "token" },
  "an admin's session without API access": { as: "ned", by: "session" },
  "a member's session without API access": { as: "nia", by: "session" },
  "an admin's token without API access": { as: "ned", by: "token" },
  "a member's token without API access": { as: "nia", by: "token" }
} as const
type Who = keyof typeof callers

const noApi = "API access is not enabled for this account"
const adminsOnly = "This operation is for admins only"
const sessionsOnly = "This takes a signed-in session, not an access token"

/** The whole of S1: who is refused, with which words; null: let through, whatever comes then. */
const refusalOf = (needs: "member" | "admin" | "session" | "admin_session", who: Who): string | null => {
  const { as, by } = callers[who]
  if (by === "token" && (as === "ned" || as === "nia")) return noApi
  if (needs.endsWith("session") && by === "token") return sessionsOnly
  if (needs.startsWith("admin") && (as === "bob" || as === "nia")) return adminsOnly
  return null
}

const members = [
  "GET /capture-links",
  "POST /capture-links",
  "GET /capture-links/:id",
  "PATCH /capture-links/:id",
  "DELETE /capture-links/:id",
  "POST /captures",
  "GET /recordings/:uuid/log",
  "GET /recordings/:uuid/log.har",
  "PUT /recordings/:uuid/log",
  "GET /folders",
  "GET /folders/:id",
  "GET /folders/:id/recordings",
  "GET /recordings",
  "POST /recordings",
  "GET /recordings/:uuid",
  "GET /recordings/:uuid/errors",
  "GET /recordings/:uuid/folder-deliveries",
  "DELETE /recordings/:uuid",
  "GET /recordings/:uuid/video",
  "PUT /recordings/:uuid/video",
  "PUT /recordings/:uuid/trim",
  "DELETE /recordings/:uuid/trim",
  "PUT /recordings/:uuid/folder",
  "DELETE /recordings/:uuid/folder",
  "GET /recordings/:uuid/transcript",
  "PUT /recordings/:uuid/transcript",
  "PUT /recordings/:uuid/transcript/import",
  "POST /recordings/:uuid/transcript/request",
  "POST /recordings/:uuid/summary/request",
  "PUT /recordings/:uuid/seen",
  "GET /profile",
  "PATCH /profile",
  "GET /profile/picture",
  "PUT /profile/picture",
  "DELETE /profile/picture",
  "GET /recordings/:uuid/sharing",
  "PUT /recordings/:uuid/sharing",
  "POST /recordings/:uuid/share-links",
  "DELETE /recordings/:uuid/share-links/:id"
]

const { signIn: _, ...groups } = settings.Api.groups // Needs no session: signIn.test.ts.

const endpoints = Object.values(groups)
  .flatMap((group) => Object.values(group.endpoints))
  .map(({ method, path }) => `${method} ${path.slice("/api/settings".length)}`)
  // An answer that does not end; below.
  .filter((call) => call !== "GET /events")

const needsOf = (call: string) => {
  if (members.includes(call)) return "member"
  if (call.endsWith("/password-link") || call === "DELETE /users/:id/sessions") return "admin_session"
  return /^\w+ \/(tokens|sessions?|sign-out|password)\b/.test(call) ? "session" : "admin"
}

describe("permissions of the settings API (S1)", () => {
  it.each(endpoints)("%s requires the documented role", async (call) => {
    const world = await makeSettings()
    for (const who of Object.keys(callers) as ReadonlyArray<Who>) {
      // Some are the same user: what is refused again within the hour makes no entry (A8).
      await world.wait(3_600_000)
      const before = world.entries().length
      // Nothing of this name is there: a refusal comes before the body and the record are looked at (R1).
      const answer = await world.ask(call.replace(/:\w+/g, "none"), callers[who])
      const refusal = refusalOf(needsOf(call), who)
      if (refusal === null) expect(answer.status, who).not.toBe(403)
      else {
        expect(answer, who).toMatchObject({ status: 403, body: { error: refusal } })
        expect(world.entries().slice(before), who).toMatchObject([{ eventType: "access.denied", status: "failure" }])
      }
    }
  })

  it("GET /events requires API access only", async () => {
    const world = await makeSettings()
    for (const who of Object.keys(callers) as ReadonlyArray<Who>) {
      const { as, by } = callers[who]
      const headers = { authorization: `Bearer ${as}-${by}` }
      const { status } = await world.fetch("/api/settings/events", { method: "HEAD", as: null, headers })
      expect([who, status]).toEqual([who, refusalOf("member", who) === null ? 200 : 403])
    }
  })

  it("the list of endpoints for members is complete", () => {
    expect(members.filter((call) => !endpoints.includes(call))).toEqual([])
  })

  it("every path answers 401 without a token, unknown ones too", async () => {
    const world = await makeSettings()
    for (const path of ["/folders", "/nothing"]) {
      const answer = await world.ask(`GET ${path}`, { headers: { authorization: "Bearer unknown" } })
      expect(answer.status).toBe(401)
      expect(answer.headers.get("www-authenticate")).toBe("Bearer")
    }
    expect((await world.fetch("/api/settings/openapi.json", { as: null })).status).toBe(200)
  })

  it("a session is accepted by the settings API only", async () => {
    const world = await makeSettings()
    const headers = { authorization: "Bearer ada-session" }
    expect((await world.fetch("/api/v2/recordings", { as: null, headers })).status).toBe(401)
  })
})

describe("a member", () => {
  const ofBob = ids.bobs
  const notBobs = [ids.adas, ids.unowned, ids.freshchat, ids.foreign, ids.unknown, "no-uuid"]
  const calls = [
    ["GET", ""],
    ["DELETE", ""],
    ["GET", "/video"],
    ["PUT", "/video"],
    ["PUT", "/folder"],
    ["PUT", "/seen"],
    ["DELETE", "/folder"],
    ["GET", "/transcript"],
    ["PUT", "/transcript"],
    ["PUT", "/transcript/import"],
    ["POST", "/transcript/request"],
    ["POST", "/summary/request"],
    ["PUT", "/log"],
    ["GET", "/sharing"],
    ["PUT", "/sharing"],
    ["POST", "/share-links"]
  ] as const

  it.each(calls)("can only use their own recordings: %s /recordings/{uuid}%s", async (method, below) => {
    const mediaWork = { processes: false, transcripts: "script", summarizes: true } as const
    const world = await makeSettings({ config: { mediaWork } })
    const inputs: Readonly<Record<string, object>> = {
      "/folder": { folder_id: "vip" },
      "/sharing": { sharing: "off" },
      "/share-links": {},
      "/log": { log: { pages: [{ startedDateTime: "2026-01-01T00:00:00.000Z" }], entries: [] } }
    }
    const input = inputs[below] ?? { segments: [{ start_seconds: 0, text: "x" }] }
    const hasJson = below === "/share-links" || (method === "PUT" && below !== "/video" && below !== "/seen")
    const json = hasJson ? { json: input } : {}
    const sent = below === "/video" && method === "PUT" ? { body: "x" } : json
    for (const uuid of notBobs) {
      const answer = await world.ask(`${method} /recordings/${uuid}${below}`, { as: "bob", ...sent })
      expect(answer, uuid).toMatchObject({ status: 404, body: { error: "Recording not found" } })
    }
    const own = await world.ask(`${method} /recordings/${ofBob.toUpperCase()}${below}`, { as: "bob", ...sent })
    expect([200, 201, 204]).toContain(own.status)
  })

  it("sees only their own recordings in lists and folders; an admin sees all", async () => {
    const world = await makeSettings()
    for (const uuid of [ids.bobs, ids.adas]) {
      await world.ask(`PUT /recordings/${uuid}/folder`, { json: { folder_id: "vip" } })
    }
    const uuidsOf = async (call: string, as: string) =>
      (await world.ask(call, { as })).body.records.map(({ uuid }: { uuid: string }) => uuid)
    expect(await uuidsOf("GET /recordings", "bob")).toEqual([ids.live, ids.bobs])
    expect(await uuidsOf("GET /folders/vip/recordings", "bob")).toEqual([ids.bobs])
    expect(await uuidsOf("GET /folders/vip/recordings", "ada")).toEqual([ids.adas, ids.bobs])
    expect(await uuidsOf("GET /folders/bugs/recordings", "ada")).toEqual([])
    const all = Array.from({ length: 100 }, (_, index) => uuidOf(index + 1)).join(",")
    expect((await uuidsOf(`GET /recordings?uuids=${all.toUpperCase()}`, "bob")).sort()).toEqual([ids.bobs, ids.live])
    const listed = await world.ask(`GET /recordings?uuids=${ids.bobs}`)
    expect(listed.body.pagination).toEqual({ count: 1, count_is_exact: true, items: 100 })
    expect(await uuidsOf(`GET /recordings?uuids=${ids.adas},${ids.foreign},${ids.adas}`, "ada")).toEqual([ids.adas])
  })
})

describe("records of another account", () => {
  // Explanations name a recording, an entry or a delivery: the suites' explain.ts tests them.
  const calls = endpoints.filter((call) => call.includes(":id") && !/tokens|sessions|explain|share-links/.test(call))
  const foreign: Readonly<Record<string, string>> = {
    folders: "theirs",
    automations: "foreign",
    "audit-destinations": "abroad",
    users: "5",
    "audit-entries": "1"
  }

  it.each(calls)("are 404 for %s", async (call) => {
    const world = await makeSettings()
    // Other's first audit entry, and its user oz, who made it.
    await world.ask("POST /folders", { as: "oz", json: { name: "Made" } })
    await world.ask(`PUT /recordings/${ids.foreign}/folder`, { as: "oz", json: { folder_id: "theirs" } })
    const delivery = (await world.deliveries()).find(({ automationId }) => automationId === "foreign")
    const made = await world.ask("POST /redeliveries", { as: "oz", json: { event: "none" } })
    const link = await world.ask("POST /capture-links", { as: "oz", json: {} })
    const site = await world.ask("POST /sites", { as: "oz", json: { name: "Shop", origins: ["https://x.test"] } })
    const madeIds = { redeliveries: made.body.id, "capture-links": link.body.id, sites: site.body.id }
    const kind = /\/([\w-]+)\//.exec(call)?.[1] ?? ""
    const path = call
      .replace(":id", { ...foreign, deliveries: String(delivery?.id), ...madeIds }[kind] ?? "none")
      .replace(":delivery_id", "none")
    const changes: Readonly<Record<string, object>> = {
      automations: { url: "https://x.test/" },
      "capture-links": { title: "x" }
    }
    const json = changes[kind] ?? { name: "x" }
    const hasBody = /^(PATCH|PUT)/.test(call)
    const before = world.memory.state()
    const answer = await world.ask(path, hasBody ? { json } : {})
    expect(answer.status).toBe(404)
    expect(world.memory.state()).toBe(before)
    // Their own admin finds it.
    const own = await world.ask(path, { as: "oz", ...(hasBody ? { json } : {}) })
    if (!/:delivery_id|picture/.test(call)) expect(own.status).not.toBe(404)
  })
})
