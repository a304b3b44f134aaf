import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { SignIn } from "../src/index.ts"
import { aUser } from "./examples.ts"
import { makeSignInWorld } from "./signInWorld.ts"

describe("an e-mail address with other letters than ASCII's", () => {
  it("signs no other user in, whatever their case maps to", async () => {
    const world = await makeSignInWorld()
    const kim = aUser(77, { email: "kim@acme.test", role: "admin" })
    await world.run(world.store.users.save(kim))
    await world.setPassword(kim.email)
    const other = "\u212aim@acme.test"
    const identity = (email: string) =>
      Effect.flatMap(SignIn, ({ withIdentity }) => withIdentity({ email, isVerified: true }, undefined))
    expect(await world.refusal(identity(other))).toMatchObject({ _tag: "SignInRefused" })
    expect(await world.refusal(world.signIn(other))).toMatchObject({ _tag: "SignInRefused" })
    expect((await world.run(identity("KIM@acme.test"))).user.id).toBe(kim.id)
  })
})
