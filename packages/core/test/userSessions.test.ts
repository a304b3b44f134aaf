import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { Sessions, UserSettings } from "../src/index.ts"
import { ada, bob } from "./examples.ts"
import { makeSignInWorld } from "./signInWorld.ts"

const authenticate = (text: string) => Effect.flatMap(Sessions, (sessions) => sessions.authenticate(text))

describe("the sessions of a user", () => {
  it("are listed for an admin, who can end all of them except their own", async () => {
    const world = await makeSignInWorld()
    await world.setPassword(ada.email)
    await world.setPassword(bob.email)
    const own = await world.run(world.signIn(ada.email))
    const caller = await world.run(authenticate(own.text))
    await world.run(world.signIn(ada.email))
    const opened = await world.run(world.signIn(bob.email))
    const sessionsOf = (id: number) =>
      world.run(Effect.flatMap(UserSettings, ({ sessions }) => sessions(caller, String(id))))
    const end = (id: number) =>
      world.run(Effect.flatMap(UserSettings, ({ endSessions }) => endSessions(caller, String(id))))
    expect((await sessionsOf(bob.id)).map(({ session }) => session.id)).toContain(opened.session.id)
    await end(bob.id)
    expect(await sessionsOf(bob.id)).toEqual([])
    expect(await world.refusal(authenticate(opened.text))).toMatchObject({ _tag: "Unauthenticated" })
    await end(ada.id)
    expect((await sessionsOf(ada.id)).map(({ isCurrent }) => isCurrent)).toEqual([true])
    expect(world.entries().at(-1)).toMatchObject({ eventType: "user.session_ended", userId: ada.id })
    const entries = world.entries().length
    await end(bob.id)
    expect(world.entries()).toHaveLength(entries)
  })
})
