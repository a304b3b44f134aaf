import { beforeAll, expect, test } from "vitest"
import { uuid } from "../../support/acme.ts"
import { blackbox, bodyOf, type Running, type Target } from "../../support/target.ts"
import { onStores } from "../targets.ts"

/** R7: the order of every list of recordings and of users, in v2, v1 and the settings API. */

const token = "token-of-ada"
const early = "2025-12-01T09:00:00.000Z"
const late = "2025-12-01T09:00:00.001Z"

/** Neither the ids nor the order of the document is the order of the lists; twice two are of the same instant. */
const recordings = [
  { uuid: uuid(1), id: 904, created_at: early },
  { uuid: uuid(2), id: 902, created_at: late },
  { uuid: uuid(3), id: 903, created_at: late },
  { uuid: uuid(4), id: 901, created_at: "2025-12-03T00:00:00.000Z" },
  { uuid: uuid(5), id: 905, created_at: early },
  { uuid: uuid(6), id: 906, created_at: "2024-01-01T00:00:00.000Z" }
]
const newestFirst = [4, 3, 2, 5, 1, 6].map(uuid)

/** All of one instant: the ids alone decide. */
const users = [
  { id: 13, email: "cyd@acme.test", name: "Cyd" },
  { id: 11, email: "ada@acme.test", name: "Ada", role: "admin", token },
  { id: 15, email: "eve@acme.test", name: "Eve" },
  { id: 12, email: "bob@acme.test", name: "Bob" }
]
const byId = ["ada", "bob", "cyd", "eve"].map((name) => `${name}@acme.test`)

export const targets = onStores

export const suite = (target: Target): void =>
  blackbox(target, "R7: the order of lists", () => {
    let running: Running
    beforeAll(async () => {
      running = await target.start({
        users,
        folders: [{ id: "f1", name: "VIP" }],
        recordings: recordings.map((each) => ({ ...each, user: "ada@acme.test", folder: "f1" }))
      })
    }, 60_000)
    const list = async (path: string, key: string) => {
      const body = bodyOf<Record<string, ReadonlyArray<{ readonly uuid: string; readonly email: string }>>>(
        await running.fetch(path, { token })
      )
      return body[key] ?? []
    }

    test.each([
      ["/api/v2/recordings", "records"],
      ["/api/v1/recordings", "records"],
      ["/api/settings/recordings", "records"],
      ["/api/settings/folders/f1/recordings", "records"]
    ])("%s is sorted by descending created_at, then by descending id", async (path, key) => {
      expect((await list(path, key)).map((recording) => recording.uuid)).toEqual(newestFirst)
    })

    test.each(["/api/v2/users", "/api/settings/users"])("%s has the smaller id first of one instant", async (path) => {
      expect((await list(path, "users")).map(({ email }) => email)).toEqual(byId)
    })
  })
