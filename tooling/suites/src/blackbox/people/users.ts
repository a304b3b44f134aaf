import { beforeAll, describe, expect, test } from "vitest"
import { acme, ada, bob, eve, otto, users } from "../../support/acme.ts"
import type { User, UserPage } from "../../support/shapes.ts"
import { blackbox, bodyOf, keysOf, type Running, refusalV2, type Target } from "../../support/target.ts"
import { onStores } from "../targets.ts"

/** v2: the users of an account. */

const everyone = [
  ...users,
  {
    id: 15,
    email: "Gus+Tag@Acme.test",
    name: "Gus",
    account: 1,
    has_profile_picture: true,
    notifications: { notify_first_view: "Enabled", notify_all_recordings: "Disabled", notify_own_recordings: "Enabled" }
  },
  ...Array.from({ length: 120 }, (_, n) => ({
    id: 1000 + n,
    email: `u${n}@other.test`,
    name: `U ${n}`,
    account: 3
  }))
]

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/

export const targets = onStores

export const suite = (target: Target): void =>
  blackbox(target, "API v2: users", () => {
    let running: Running
    beforeAll(async () => {
      running = await target.start(acme({ users: everyone }))
    }, 60_000)
    const get = (path: string, token = ada) => running.fetch(`/api/v2/users${path}`, { token })
    const page = async (path: string, token = ada) => bodyOf<UserPage>(await get(path, token))

    describe("GET /users", () => {
      test("lists all active users of the account, and no others (R24)", async () => {
        const body = await page("")
        expect(keysOf(body)).toEqual(["pagination", "users"])
        const emails = body.users.map((user) => user.email.toLowerCase())
        expect(emails.toSorted()).toEqual(
          ["ada", "bob", "cyd", "gus+tag"].map((name) => `${name}@acme.test`).toSorted()
        )
        expect(body.pagination).toEqual({ count: 4, page: 1, items: 100, pages: 1, last_page: 1, from: 1, to: 4 })
      })

      test("User (v2), N7: has every field, role and notifications", async () => {
        const body = await page("")
        const byName = new Map(body.users.map((user) => [user.name, user]))
        expect(byName.get("Gus")).toEqual({
          email: expect.stringMatching(/^gus\+tag@acme\.test$/i),
          name: "Gus",
          has_profile_picture: true,
          role: "member",
          notifications: {
            notify_first_view: "Enabled",
            notify_all_recordings: "Disabled",
            notify_own_recordings: "Enabled"
          },
          created_at: expect.stringMatching(instant),
          updated_at: expect.stringMatching(instant)
        })
        const ofAda = byName.get("Ada")
        expect(ofAda).toMatchObject({ role: "admin", has_profile_picture: false })
        expect(keysOf(ofAda?.notifications ?? {})).toEqual([
          "notify_all_recordings",
          "notify_first_view",
          "notify_own_recordings"
        ])
        for (const value of Object.values(ofAda?.notifications ?? {})) expect(["Enabled", "Disabled"]).toContain(value)
      })

      test("R7: sorts by created_at, then by id", async () => {
        const { users: list } = await page("")
        const ids = new Map(everyone.map(({ email, id }) => [email.toLowerCase(), id]))
        const keys = list.map((user): [string, number] => [user.created_at, ids.get(user.email.toLowerCase()) ?? 0])
        expect(keys).toEqual(keys.toSorted(([a, x], [b, y]) => (a === b ? x - y : a < b ? -1 : 1)))
      })

      test("R6: has 100 users in a page", async () => {
        const first = await page("", otto)
        const second = await page("?page=2", otto)
        expect([first.users.length, second.users.length]).toEqual([100, 21])
        expect(first.pagination).toEqual({
          count: 121,
          page: 1,
          items: 100,
          pages: 2,
          next_page: 2,
          last_page: 2,
          from: 1,
          to: 100
        })
        expect(second.pagination).toEqual({
          count: 121,
          page: 2,
          items: 100,
          pages: 2,
          prev_page: 1,
          last_page: 2,
          from: 101,
          to: 121
        })
        expect(new Set([...first.users, ...second.users].map((user) => user.email)).size).toBe(121)
      })

      test("R9: is 200 with an empty array past the end", async () => {
        const { pagination, users: none } = await page("?page=3")
        expect(none).toEqual([])
        expect(pagination).toEqual({
          count: 4,
          page: 3,
          items: 100,
          pages: 1,
          prev_page: 1,
          last_page: 1,
          from: 0,
          to: 0
        })
      })

      test.each(["0", "-1", "x", "1.5", ""])("R9: page=%s is 400", async (value) => {
        refusalV2(await get(`?page=${value}`), 400)
      })

      test("is 403 for a member, and while API access is off", async () => {
        refusalV2(await get("", bob), 403)
        refusalV2(await get("", eve), 403)
      })
    })

    describe("GET /users/search", () => {
      const search = (email: string, token = ada) => get(`/search?email=${encodeURIComponent(email)}`, token)

      test("returns the user as the list does", async () => {
        const { users: list } = await page("")
        const ofBob = bodyOf<User>(await search("bob@acme.test"))
        expect(ofBob).toEqual(list.find((user) => user.name === "Bob"))
      })

      test.each(["BOB@acme.test", "bob@ACME.TEST"])("R16: ignores case: %s", async (email) => {
        expect(bodyOf<User>(await search(email)).name).toBe("Bob")
      })

      test("R16: finds an e-mail with a plus sign and capitals", async () => {
        expect(bodyOf<User>(await search("gus+tag@acme.test")).name).toBe("Gus")
        expect(bodyOf<User>(await search("Gus+Tag@Acme.test")).name).toBe("Gus")
      })

      test("R16: is 400 for a missing, an empty or a malformed e-mail", async () => {
        refusalV2(await get("/search"), 400)
        refusalV2(await get("/search?email="), 400)
        for (const email of ["bob", "bob@", "@acme.test", "bob acme.test", "bob@@acme.test", " "]) {
          refusalV2(await search(email), 400)
        }
      })

      test("GET /users/search is 404 for an unknown address, a user of another account, and a part of an address", async () => {
        refusalV2(await search("unknown@acme.test"), 404)
        refusalV2(await search("otto@other.test"), 404)
        refusalV2(await search("ob@acme.test"), 404)
      })

      test("is 403 for a member, also for their own address", async () => {
        refusalV2(await search("bob@acme.test", bob), 403)
      })
    })
  })
