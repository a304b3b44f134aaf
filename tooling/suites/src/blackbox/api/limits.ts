import { beforeAll, expect, test } from "vitest"
import { acme, users } from "../../support/acme.ts"
import { documentedLimits, type LimitsDocument } from "../../support/documentedLimits.ts"
import { Emulator } from "../../support/emulator.ts"
import { blackbox, bodyOf, type Running, refusalV2, type Target } from "../../support/target.ts"
import type { TargetNames } from "../targets.ts"

/** The groups of operations with a JSON body. */
const groups = [
  "Access tokens",
  "Account",
  "Audit destinations",
  "Automations",
  "Capture links",
  "Captures",
  "Folders",
  "Profile",
  "Recordings",
  "Redeliveries",
  "Sessions",
  "Sharing",
  "Sign in",
  "Sites",
  "Transcripts",
  "Users"
]

/** An admin whose token tries the limits of a group: a token has at most 300 refusals a minute. */
const adminOf = (group: string) => {
  const name = group.replaceAll(" ", "-")
  return { email: `${name}@acme.test`, name, role: "admin", token: `token-of-${name}`, account: 1 }
}

/** Refusals of values within the limits, by operation: what they name does not exist, or is not set up. */
const knownRefusals: Readonly<Record<string, readonly [status: number, message: RegExp]>> = {
  "captures.begin": [422, /^(folder_id is not the id of a folder|site_id is not the id of a site)$/],
  "captureLinks.create": [
    422,
    /^(folder_id is not the id of a folder|site_id is not the id of a site|expires_at must be in the future)$/
  ],
  "captureLinks.update": [
    422,
    /^(folder_id is not the id of a folder|site_id is not the id of a site|expires_at must be in the future)$/
  ],
  // No platform is as long as a text may be.
  "automations.create": [422, /^(folder_id is not the id of a folder|only\.platforms\[0\] must be one of .*)$/],
  "automations.update": [422, /^(folder_id is not the id of a folder|only\.platforms\[0\] must be one of .*)$/],
  "recordings.create": [
    422,
    /^(created_at is in the future|folder_id is not the id of a folder|user is not the e-mail address of a user|\S+\.participant_id .*)$/
  ],
  "recordings.move": [422, /^folder_id is not the id of a folder$/],
  "recordings.trim": [409, /^(The recording has no video to trim|This server has no ffmpeg, which trims videos)$/],
  "recordings.update": [422, /^user is not the e-mail address of a user$/],
  "sites.create": [422, /^folder_id is not the id of a folder$/],
  "sites.update": [422, /^folder_id is not the id of a folder$/],
  "signIn.withPassword": [401, /^The e-mail address or the password is wrong$/],
  "signIn.withLink": [404, /^The link is no longer good/],
  "signIn.forgotten": [409, /^No mail is sent from here/],
  "sessions.changePassword": [
    422,
    /^(current_password is not your password|password must have more than a few different characters)$/
  ]
}

/** Records that operations on one of them are tried with, by the path at which they are created. */
export const limitRecords: Readonly<Record<string, object>> = {
  "/automations": { folder_id: "vip", url: "https://limits.test/" },
  // Disabled: each audit entry of the other groups would be delivered to it.
  "/audit-destinations": { name: "Limits", url: "https://limits.test/", enabled: false },
  "/capture-links": {},
  "/folders": { name: "Limits" },
  "/recordings": {},
  "/sites": { name: "Limits", origins: ["https://limits.test"] },
  "/tokens": { name: "Limits" },
  "/users": { email: "limits@acme.test", name: "Limits" }
}

/** The path at which a record is created, by the one of an operation on it. */
const listOf = (path: string) => (path.startsWith("/recordings/") ? "/recordings" : path.replace(/\/\{id\}.*/, ""))

/** Operations of these groups whose body is a file with a format of its own. */
const files = ["recordings.importLog", "transcripts.import"]

const document = acme({
  users: [...users, ...groups.map(adminOf)],
  folders: [{ id: "vip", name: "VIP", account: 1 }]
})

/** Group whose values beyond a limit are sent to a server too: one of few limits. */
const beyondOnServers = "Folders"

/** The emulator refuses what is beyond each limit; PostgreSQL, the strictest store, has to keep what is at it. */
export const targets: TargetNames = ["emulator", "postgres"]

/**
 * The limits of each group, tried by an admin of its own on the emulator. A server decodes bodies by the same schemas, and each sign-in there
 * runs a command: one session sends the values at the limits, and those beyond them of one group.
 */
export const suite = (target: Target): void =>
  blackbox(target, "Inputs: the limits that the OpenAPI document gives", () => {
    const isEmulator = target instanceof Emulator
    const isRefusalTried = (group: string) => isEmulator || group === beyondOnServers
    let running: Running
    beforeAll(async () => {
      running = await target.start(document)
    }, 60_000)

    test("are of all groups with a JSON body", async () => {
      const { paths } = bodyOf<LimitsDocument>(await running.fetch("/api/settings/openapi.json"))
      const operations = Object.values(paths).flatMap((path) => Object.values(path))
      const withBody = operations.filter(
        ({ operationId, requestBody }) => requestBody?.content["application/json"] && !files.includes(operationId)
      )
      expect([...new Set(withBody.flatMap(({ tags }) => tags))].toSorted()).toEqual(groups)
    })

    test.each(
      groups.map((group) => [isRefusalTried(group) ? ", and beyond it refused by its name" : "", group] as const)
    )("are those of the service, for every field: at each a value is taken%s: %s", async (_, group) => {
      const document = bodyOf<LimitsDocument>(await running.fetch("/api/settings/openapi.json"))
      const limits = documentedLimits(document, [group]).filter(({ operation }) => !files.includes(operation))
      expect(limits.length).toBeGreaterThan(2)
      // A session may do what an access token may not.
      const session = await running.credentials(adminOf(isEmulator ? group : groups[0]!).email)
      const request = (method: string, path: string, json?: object) =>
        path.startsWith("/sign-in")
          ? running.fetch(`/api/settings${path}`, { method, json, headers: { "sec-fetch-site": "same-origin" } })
          : running.fetch(`/api/settings${path}`, { ...session, method, ...(json && { json }) })
      const ids = new Map<string, string>()
      for (const [path, body] of Object.entries(limitRecords)) {
        if (!limits.some((limit) => limit.path.includes("{") && listOf(limit.path) === path)) continue
        const { id, uuid = id } = bodyOf<{ id: unknown; uuid?: unknown }>(await request("POST", path, body), 201)
        ids.set(path, String(uuid))
      }
      const placed = (path: string) => path.replace(/\{(id|uuid)\}/, () => ids.get(listOf(path))!)
      let address = 0
      for (const { at, beyond, field, limit, method, operation, path } of limits) {
        const what = `${operation}: ${limit} of ${field}`
        // An address can belong to one user only.
        const send = (body: object) =>
          request(method, placed(path), {
            ...body,
            ...("room_insights" in body && { recording_type: "Live" }),
            ...("email" in body && body.email === "grace@acme.test" && { email: `limits${address++}@acme.test` })
          })
        // No more than a few old secrets sign along.
        if (path.endsWith("/rotate")) await send({ overlap_seconds: 0 })
        const [status, message] = knownRefusals[operation] ?? [422, /^$/]
        if (isRefusalTried(group)) {
          const refused = await send(beyond)
          // A link is looked up before the values that it sets.
          if (status === 404 && field !== "token") refusalV2(refused, 404)
          else expect(refusalV2(refused, 422).startsWith(`${field} `), `${what}: ${refused}`).toBe(true)
        }
        const taken = await send(at)
        if (taken.status === status) expect(refusalV2(taken, status), what).toMatch(message)
        else expect(taken.status, what).toBeLessThan(300)
        if (taken.status === 201 && document.paths[`${path}/{id}`]?.delete !== undefined)
          await request("DELETE", `${path}/${bodyOf<{ id: string }>(taken, 201).id}`)
      }
      const changes = new Set(limits.flatMap(({ method, path }) => (method === "PATCH" ? [placed(path)] : [])))
      for (const path of changes) {
        expect(refusalV2(await request("PATCH", path, {}), 400)).toMatch(/^The body must have at least one of \w+/)
      }
      if (group === "Account")
        bodyOf(await request("PATCH", "/account", { name: "Acme", api_access: true, sharing: "public" }))
    })
  })
