import { ShareLinkInput } from "@tapedeck/domain/input"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { ShareLinks, SharingSettings } from "../src/index.ts"
import { aRecording, bob, callerOf, instantAfter, uuidOf } from "./examples.ts"
import { inputOf } from "./inputOf.ts"
import { makeSignInWorld } from "./signInWorld.ts"

const owner = callerOf(bob)

const worldWithLink = async () => {
  const world = await makeSignInWorld()
  await world.run(world.store.recordings.save(aRecording(1, { ownerId: bob.id, sharing: "off" })))
  const made = await world.run(
    SharingSettings.use(({ createLink }) =>
      createLink(owner, uuidOf(1), inputOf(ShareLinkInput, { password: "open sesame" }))
    )
  )
  const token = made.url.split("/").at(-1) ?? ""
  return { world, token, unlock: (password: string) => ShareLinks.use((links) => links.unlock(token, password)) }
}

describe("the password of a share link", () => {
  it("can be tried 10 times in 15 minutes; tries are counted before they are checked", async () => {
    const { unlock, world } = await worldWithLink()
    for (let tries = 0; tries < 10; tries++) expect(await world.run(unlock("wrong"))).toBeNull()
    expect(await world.refusal(unlock("open sesame"))).toMatchObject({ _tag: "SignInThrottled", retryAfterMs: 900_000 })
    await world.setTime(instantAfter(900_000))
    expect(await world.run(unlock("open sesame"))).toMatchObject({ maxAgeSeconds: 43_200 })
  })

  it("has 10 tries from each network address, so that wrong passwords from one lock out no other", async () => {
    const { unlock, world } = await worldWithLink()
    for (let tries = 0; tries < 10; tries++) await world.run(unlock("wrong"))
    for (let tries = 0; tries < 100; tries++) await world.refusal(unlock("wrong"))
    world.comeFrom("192.0.2.8")
    expect(await world.run(unlock("open sesame"))).toMatchObject({ maxAgeSeconds: 43_200 })
  })

  it("has 100 tries from all network addresses", async () => {
    const { unlock, world } = await worldWithLink()
    for (let address = 0; address < 10; address++) {
      world.comeFrom(`192.0.2.${address}`)
      for (let tries = 0; tries < 10; tries++) expect(await world.run(unlock("wrong"))).toBeNull()
    }
    world.comeFrom("192.0.2.99")
    expect(await world.refusal(unlock("open sesame"))).toMatchObject({ _tag: "SignInThrottled" })
  })

  it("resets the count when it is correct", async () => {
    const { unlock, world } = await worldWithLink()
    for (let tries = 0; tries < 9; tries++) await world.run(unlock("wrong"))
    await world.run(unlock("open sesame"))
    for (let tries = 0; tries < 10; tries++) expect(await world.run(unlock("wrong"))).toBeNull()
  })

  it("is stored as a sealed hash, and the token as a keyed hash", async () => {
    const { token, world } = await worldWithLink()
    const stored = JSON.stringify(world.memory.state().shareLinks.valuesArray())
    expect(stored).not.toContain(token)
    expect(stored).not.toContain("scrypt")
    expect(stored).not.toContain("open sesame")
  })

  it("gives a pass for one link only, even if another link has the same password", async () => {
    const { token, unlock, world } = await worldWithLink()
    const unlocked = await world.run(unlock("open sesame"))
    const second = await world.run(
      SharingSettings.use(({ createLink }) =>
        createLink(owner, uuidOf(1), inputOf(ShareLinkInput, { password: "open sesame" }))
      )
    )
    const open = (text: string) =>
      world.run(Effect.flatMap(ShareLinks, (links) => links.open(text, () => unlocked?.pass)))
    expect((await open(token)).isLocked).toBe(false)
    expect((await open(second.url.split("/").at(-1) ?? "")).isLocked).toBe(true)
  })
})
