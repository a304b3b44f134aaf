import { describe, expect, test } from "vitest"
import { auditFixtures, people, uuidOf, type World, worldOf } from "./world.ts"

const owners = {
  "Bob's": { uuid: uuidOf(1), user: "bob@acme.test" },
  "Cyd's": { uuid: uuidOf(2), user: "cyd@acme.test" },
  "no owner's": { uuid: uuidOf(3) },
  "Otto's": { uuid: uuidOf(4), user: "otto@other.test", account: 2 }
}
type Owner = keyof typeof owners

const sees: Readonly<Record<string, ReadonlyArray<Owner>>> = {
  ada: ["Bob's", "Cyd's", "no owner's"],
  bob: ["Bob's"],
  cyd: ["Cyd's"],
  otto: ["Otto's"]
}

const rows = Object.entries(sees).flatMap(([caller, seen]) =>
  (Object.keys(owners) as ReadonlyArray<Owner>).map((owner) => ({
    caller,
    owner,
    status: seen.includes(owner) ? 200 : 404
  }))
)

const world = () => worldOf({ recordings: Object.values(owners) })

/** What the sink of the audit log was told, in order. */
const told = async (asked: World) => {
  await asked.clock.advance({ until: "idle" })
  return (await asked.sinks.get("siem")).requests.map(({ body }) => JSON.parse(body) as Record<string, unknown>)
}

const retitle = (title: string) => ({ method: "PATCH", json: { recording: { title } } })

/** The use cases' promises: visibility, permission, and the audit log that goes with what happens. */
export const core = (): void => {
  describe("the visibility of recordings by user (General rule 6, R4)", () => {
    test.each(rows)("$caller asks for $owner: $status", async ({ caller, owner, status }) => {
      const asked = await world()
      const { uuid } = owners[owner]
      for (const path of ["", "/transcript"]) {
        expect((await asked.ask(caller, `/api/v2/recordings/${uuid}${path}`)).status).toBe(status)
      }
      // Who may see it learns that there is no video yet; to the others there is nothing at all.
      expect((await asked.ask(caller, `/api/v2/recordings/${uuid}/download`)).status).toBe(status === 200 ? 409 : 404)
      expect((await asked.ask(caller, `/api/v1/recordings/${uuid}`)).status).toBe(status)
    })

    test.each(Object.entries(sees))("%s lists what they see, newest first, in both versions", async (caller, seen) => {
      const asked = await world()
      const expected = seen.map((owner) => owners[owner].uuid).toSorted()
      for (const version of ["v1", "v2"]) {
        const { body } = await asked.ask<{ records: ReadonlyArray<{ uuid: string }> }>(
          caller,
          `/api/${version}/recordings`
        )
        expect(body.records.map(({ uuid }) => uuid).toSorted()).toEqual(expected)
      }
    })

    test("a member cannot change recordings, not even their own", async () => {
      const asked = await world()
      expect((await asked.ask("bob", `/api/v2/recordings/${uuidOf(1)}`, retitle("Mine"))).status).toBe(403)
      const { body } = await asked.ask<{ title: string | null }>("ada", `/api/v2/recordings/${uuidOf(1)}`)
      expect(body.title).toBeNull()
    })
  })

  describe("the audit log tells", () => {
    test("a change makes an audit entry with old and new values and the user; an update without changes makes none (A4, A7)", async () => {
      const asked = await worldOf(auditFixtures())
      await asked.ask("ada", `/api/v2/recordings/${uuidOf(1)}`, retitle("New"))
      await asked.ask("ada", `/api/v2/recordings/${uuidOf(1)}`, retitle("New"))
      expect(await told(asked)).toMatchObject([
        {
          event: "recording.updated",
          event_category: "data_changes",
          severity: "low",
          audit_log: {
            id: 1,
            status: "success",
            metadata: { target_type: "recording", target_id: uuidOf(1), changes: { title: { from: "Old", to: "New" } } }
          },
          user: { name: "Ada", email: people.users[0].email },
          account: { id: 1, name: "Acme" }
        }
      ])
    })

    test("of each download, and of what was denied", async () => {
      const asked = await worldOf(auditFixtures())
      await asked.ask("bob", `/api/v2/recordings/${uuidOf(1)}/download`)
      await asked.ask("bob", "/api/v2/users")
      expect(await told(asked)).toMatchObject([
        { event: "recording.downloaded", audit_log: { status: "success" }, user: { name: "Bob" } },
        { event: "access.denied", severity: "medium", audit_log: { status: "failure" }, user: { name: "Bob" } }
      ])
    })

    test("of the same denial again after an hour, with how many were left out (A8)", async () => {
      const asked = await worldOf(auditFixtures())
      const deny = async () => expect((await asked.ask("bob", "/api/v2/users")).status).toBe(403)
      await deny()
      await deny()
      await asked.clock.advance({ by: "PT59M59S" })
      await deny()
      await asked.clock.advance({ by: "PT1S" })
      await deny()
      const metadata = { target_type: "operation", target_id: "users.list", changes: {} }
      expect(await told(asked)).toMatchObject([
        { timestamp: "2026-01-01T00:00:00.000Z", audit_log: { metadata } },
        { timestamp: "2026-01-01T01:00:00.000Z", audit_log: { metadata: { ...metadata, suppressed: 2 } } }
      ])
    })

    test("a 401 makes no audit entry, because it has no user, and an account does not see entries of another (A7)", async () => {
      const asked = await worldOf(auditFixtures())
      await asked.ask("unknown", "/api/v2/users")
      await asked.ask(null, "/api/v2/users")
      await asked.ask("eve", "/api/v2/users")
      expect(await told(asked)).toEqual([])
    })

    test("only what a destination's filters let through (A6)", async () => {
      const asked = await worldOf(auditFixtures({ filters: { severities: ["medium"], categories: ["authorization"] } }))
      await asked.ask("ada", `/api/v2/recordings/${uuidOf(1)}`, retitle("New"))
      await asked.ask("bob", "/api/v2/users")
      expect((await told(asked)).map(({ event }) => event)).toEqual(["access.denied"])
    })
  })
}
