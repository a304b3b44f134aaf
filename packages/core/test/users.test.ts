import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { NotFound, Users } from "../src/index.ts"
import { ada, aUser, bob, callerOf, cyd, instantAfter, otto } from "./examples.ts"
import { makeWorld } from "./useCaseWorld.ts"

const list = (page: number, user = ada) => Effect.flatMap(Users, (users) => users.list(callerOf(user), page))
const search = (email: string) => Effect.flatMap(Users, (users) => users.search(callerOf(ada), email))

describe("listing users", () => {
  it("returns the users of the caller's account, oldest first, in pages (R6, R7)", async () => {
    const world = await makeWorld({ pageSize: 2 })
    const eldest = aUser(99, { createdAt: instantAfter(-1) })
    await world.run(world.store.users.save(eldest))
    const first = await world.run(list(1))
    expect(first.users).toEqual([eldest, ada])
    expect(first.pagination).toMatchObject({ count: 4, page: 1, items: 2, pages: 2, nextPage: 2 })
    expect((await world.run(list(2))).users).toEqual([bob, cyd])
    expect((await world.run(list(1, otto))).users).toEqual([otto])
  })

  it("leaves out deactivated users, as the search does (R24)", async () => {
    const world = await makeWorld({ pageSize: 2 })
    await world.run(world.store.users.save({ ...bob, active: false }))
    const page = await world.run(list(1))
    expect(page.users).toEqual([ada, cyd])
    expect(page.pagination).toMatchObject({ count: 2, pages: 1 })
    expect(await world.refusal(search(bob.email))).toEqual(new NotFound({ what: "User" }))
  })

  it("returns an empty page past the end (R9)", async () => {
    const world = await makeWorld({ pageSize: 2 })
    const page = await world.run(list(5))
    expect(page.users).toEqual([])
    expect(page.pagination).toMatchObject({ count: 3, prevPage: 2, from: 0, to: 0 })
  })
})

describe("searching for a user (R16)", () => {
  it.each(["bob@acme.test", "BOB@ACME.TEST", "Bob@acme.Test"])("finds %s without regard to case", async (email) => {
    const world = await makeWorld()
    expect(await world.run(search(email))).toEqual(bob)
  })

  it.each([otto.email, "unknown@acme.test", "bob@acme.tes", "", "%"])("does not find %o", async (email) => {
    const world = await makeWorld()
    expect(await world.refusal(search(email))).toEqual(new NotFound({ what: "User" }))
  })
})
