import { Effect } from "effect"
import { expect, it } from "vitest"
import { AccessTokens, Recordings, seed } from "../src/index.ts"
import { makeWorld } from "./useCaseWorld.ts"

const content = {
  account: { name: "New" },
  users: [{ email: "eve@new.test", name: "Eve" }, { email: "fay@new.test" }],
  folders: [{ name: "Bugs" }],
  recordings: [
    { title: "First", owner: "fay@new.test", folder: "Bugs" },
    { title: "Second", summary: "S" }
  ]
}

it("a seed is an account with users, folders and recordings, which the use cases find", async () => {
  const world = await makeWorld()
  const { recordings, users } = await world.run(seed(content))
  expect(users.map(({ name, role }) => [name, role])).toEqual([
    ["Eve", "admin"],
    ["fay@new.test", "member"]
  ])
  const [eve] = users
  const titles = await world.run(
    Effect.gen(function* () {
      const tokens = yield* AccessTokens
      const caller = yield* tokens.authenticate(yield* tokens.create({ user: eve!, name: "test", kind: "access" }))
      const { list } = yield* Recordings
      const page = yield* list(caller, { page: 1 })
      return page.recordings.map(({ owner, recording }) => [recording.title, owner?.email])
    })
  )
  expect(titles).toEqual([
    ["Second", undefined],
    ["First", "fay@new.test"]
  ])
  const folder = (await world.run(world.store.folders.byId(recordings[0]!.folderId!)))?.name
  expect([folder, recordings[1]!.summary]).toEqual(["Bugs", "S"])
})

it("a seed that names an owner whom it does not have writes nothing", async () => {
  const world = await makeWorld()
  const before = world.memory.state()
  const lost = world.run(seed({ ...content, recordings: [{ title: "Lost", owner: "gus@new.test" }] }))
  await expect(lost).rejects.toThrow('The seed has nothing with the email "gus@new.test"')
  expect(world.memory.state()).toBe(before)
})
