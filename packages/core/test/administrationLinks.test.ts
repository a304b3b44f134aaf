import { UserAddress } from "@tapedeck/domain/input"
import { Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { Administration } from "../src/index.ts"
import { bob, instantAfter } from "./examples.ts"
import { inputOf } from "./inputOf.ts"
import { makeSignInWorld, password, tokenIn } from "./signInWorld.ts"

const hour = 3_600_000

const linkFor = (email: string) =>
  Effect.provide(
    Effect.flatMap(Administration, (admin) => admin.createLink(inputOf(UserAddress, { email }))),
    Layer.fresh(Administration.layer)
  )

describe("the operator's link that signs in", () => {
  it("admits a user of any role once, without a password, and is in the audit log", async () => {
    const world = await makeSignInWorld()
    const before = world.entries().length
    const { link, user } = await world.run(linkFor("BOB@acme.test"))
    expect(user.id).toBe(bob.id)
    expect(link.expiresAt).toBe(instantAfter(hour))
    const token = tokenIn(link.url)
    expect(await world.run(world.use({ token }))).toMatchObject({ session: { userId: bob.id, method: "link" } })
    expect(world.told(before)).toEqual([
      ["user.password_link_created", "success", null],
      ["user.login", "success", bob.id, "link"]
    ])
    expect(await world.refusal(world.use({ token }))).toMatchObject({ _tag: "LinkRefused" })
  })

  it("is invalid after an hour, and does not set a password", async () => {
    const world = await makeSignInWorld()
    const expired = await world.run(linkFor(bob.email))
    await world.setTime(instantAfter(hour))
    expect(await world.refusal(world.use({ token: tokenIn(expired.link.url) }))).toMatchObject({ _tag: "LinkRefused" })
    const { link } = await world.run(linkFor(bob.email))
    await world.run(world.use({ token: tokenIn(link.url), password }))
    expect(await world.refusal(world.signIn(bob.email))).toMatchObject({ _tag: "SignInRefused" })
  })

  it("is refused for an unknown address, a deactivated user, and a server without sign-in pages", async () => {
    const world = await makeSignInWorld()
    expect(await world.refusal(linkFor("none@acme.test"))).toMatchObject({ _tag: "NotFound", what: "User" })
    expect(await world.refusal(linkFor("none"))).toMatchObject({ _tag: "InputInvalid" })
    const user = await world.run(world.store.users.byEmail(bob.email))
    await world.run(world.store.transaction(world.store.users.save({ ...user!, active: false })))
    expect(await world.refusal(linkFor(bob.email))).toMatchObject({ _tag: "StateConflict" })

    const without = await makeSignInWorld({ policy: { linkPath: null } })
    expect(await without.refusal(linkFor(bob.email))).toMatchObject({ _tag: "StateConflict" })
  })
})
