import { beforeAll, describe, expect, test } from "vitest"
import { acme, ada, bob, cyd, dan, eve, fay, otto, uuid } from "../../support/acme.ts"
import type { Call } from "../../support/http.ts"
import type { FlatPage, RecordingPage } from "../../support/shapes.ts"
import { blackbox, bodyOf, type Running, type Target } from "../../support/target.ts"
import { onStores } from "../targets.ts"

/** Who may ask for what: caller × endpoint × the recording's owner. */

const video = { original: { base64: "AAAA", content_type: "video/mp4" } }
const recordings = {
  "of Bob": { uuid: uuid(1), user: "bob@acme.test", video },
  "of Cyd": { uuid: uuid(2), user: "cyd@acme.test", video },
  "of no owner": { uuid: uuid(3), user: null, video },
  "of another account": { uuid: uuid(4), user: "otto@other.test", account: 3, video },
  "of an account without API access": { uuid: uuid(5), user: "fay@closed.test", account: 2, video }
}
type Owner = keyof typeof recordings
const owners = Object.keys(recordings) as ReadonlyArray<Owner>

/** Each caller, what they see, and whether they may do what only admins may; or the status that meets them always. */
const callers: Readonly<
  Record<string, { token?: string; always?: number; admin?: boolean; sees: ReadonlyArray<Owner> }>
> = {
  "no token": { always: 401, sees: [] },
  "an unknown token": { token: "unknown", always: 401, sees: [] },
  "a deactivated admin": { token: dan, always: 401, sees: [] },
  "an admin without API access": { token: eve, always: 403, sees: [] },
  "a member without API access": { token: fay, always: 403, sees: [] },
  "the member Bob": { token: bob, sees: ["of Bob"] },
  "the member Cyd": { token: cyd, sees: ["of Cyd"] },
  "the admin": { token: ada, admin: true, sees: ["of Bob", "of Cyd", "of no owner"] },
  "the admin of another account": { token: otto, admin: true, sees: ["of another account"] }
}

const reads = [
  "/api/v2/recordings/{uuid}",
  "/api/v2/recordings/{uuid}/download",
  "/api/v2/recordings/{uuid}/transcript"
]
const endpoints: ReadonlyArray<{ name: string; path: string; call: Call; adminOnly: boolean }> = [
  ...[...reads, "/api/v1/recordings/{uuid}"].map((path) => ({ name: `GET ${path}`, path, call: {}, adminOnly: false })),
  {
    name: "HEAD /api/v2/recordings/{uuid}/download",
    path: "/api/v2/recordings/{uuid}/download",
    call: { method: "HEAD" },
    adminOnly: false
  },
  {
    name: "PATCH /api/v2/recordings/{uuid}",
    path: "/api/v2/recordings/{uuid}",
    call: { method: "PATCH", json: { recording: { title: "Seen" } } },
    adminOnly: true
  }
]

const rows = Object.entries(callers).flatMap(([caller, { token, always, admin, sees }]) =>
  endpoints.flatMap((endpoint) =>
    owners.map((owner) => ({
      caller,
      endpoint: endpoint.name,
      owner,
      path: endpoint.path.replace("{uuid}", recordings[owner].uuid),
      call: { ...endpoint.call, token },
      status: always ?? (endpoint.adminOnly && !admin ? 403 : sees.includes(owner) ? 200 : 404)
    }))
  )
)

export const targets = onStores

export const suite = (target: Target): void =>
  blackbox(target, "Visibility", () => {
    let running: Running
    beforeAll(async () => {
      running = await target.start(acme({ recordings: Object.values(recordings) }))
    }, 60_000)

    describe("R4: one recording", () => {
      test.each(rows)("$caller: $endpoint $owner is $status", async ({ path, call, status }) => {
        const answer = await running.fetch(path, call)
        expect(answer.status, String(answer)).toBe(status)
      })
    })

    describe("General rule 6: lists", () => {
      test.each(Object.entries(callers))(
        "a list has exactly the visible recordings: %s",
        async (_, { token, always, sees }) => {
          for (const version of ["v1", "v2"]) {
            const answer = await running.fetch(`/api/${version}/recordings`, { token })
            expect(answer.status, String(answer)).toBe(always ?? 200)
            if (always !== undefined) continue
            const { records, pagination } = bodyOf<RecordingPage | FlatPage>(answer)
            expect(records.map((record) => record.uuid).toSorted()).toEqual(sees.map((owner) => recordings[owner].uuid))
            expect(pagination.count).toBe(sees.length)
          }
        }
      )
    })

    describe("Users: admins only", () => {
      test.each(Object.entries(callers))(
        "users are listed for admins and refused to members: %s",
        async (_, { token, always, admin }) => {
          const expected = always ?? (admin ? 200 : 403)
          const list = await running.fetch("/api/v2/users", { token })
          expect(list.status, String(list)).toBe(expected)
          const email = token === otto ? "otto@other.test" : "bob@acme.test"
          const found = await running.fetch(`/api/v2/users/search?email=${encodeURIComponent(email)}`, { token })
          expect(found.status, String(found)).toBe(expected)
        }
      )
    })

    test("R4: an invisible recording has the same refusal as an unknown one", async () => {
      for (const path of reads) {
        const hidden = await running.fetch(path.replace("{uuid}", recordings["of Cyd"].uuid), { token: bob })
        const missing = await running.fetch(path.replace("{uuid}", uuid(99)), { token: bob })
        expect(hidden.text.replaceAll(recordings["of Cyd"].uuid, "UUID")).toBe(
          missing.text.replaceAll(uuid(99), "UUID")
        )
      }
    })
  })
