import { TokenId, UserId } from "@tapedeck/domain"
import { isWellFormedToken } from "@tapedeck/domain/internal/people"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { AccessTokens, Unauthenticated } from "../src/index.ts"
import { acme, ada, bob, instantAfter } from "./examples.ts"
import { makeWorld, type UseCaseWorld } from "./useCaseWorld.ts"

const create = (world: UseCaseWorld, options: { user?: typeof ada; text?: string; kind?: "access" | "session" } = {}) =>
  world.run(
    Effect.flatMap(AccessTokens, (tokens) => tokens.create({ user: ada, name: "CI", kind: "access", ...options }))
  )

const authenticate = (token: string) => Effect.flatMap(AccessTokens, (tokens) => tokens.authenticate(token))

const stored = (world: UseCaseWorld) => world.memory.state().tokens.valuesArray()

describe("an access token (R19)", () => {
  it("authenticates its user in the user's account", async () => {
    const world = await makeWorld()
    const text = await create(world)
    const [token] = stored(world)
    expect(await world.run(authenticate(text))).toEqual({
      user: ada,
      account: acme,
      tokenId: token?.id,
      kind: "access"
    })
  })

  it("has the service's prefix, and no two tokens are equal", async () => {
    const world = await makeWorld()
    const texts = [await create(world), await create(world), await create(world)]
    expect(texts.every(isWellFormedToken)).toBe(true)
    expect(new Set(texts).size).toBe(3)
    const created = stored(world).filter(({ kind }) => kind === "access")
    expect(new Set(created.map(({ id }) => id)).size).toBe(3)
  })

  it("has the text that the start document gives", async () => {
    const world = await makeWorld()
    expect(await create(world, { text: "secret token!" })).toBe("secret token!")
    expect((await world.run(authenticate("secret token!"))).user).toEqual(ada)
  })

  it("of a session authenticates with the session's scope (S1)", async () => {
    const world = await makeWorld()
    const text = await create(world, { kind: "session" })
    expect((await world.run(authenticate(text))).kind).toBe("session")
  })

  it("authenticates its user with the user's present role", async () => {
    const world = await makeWorld()
    const text = await create(world)
    const demoted = { ...ada, role: "member" as const }
    await world.run(world.store.users.save(demoted))
    expect((await world.run(authenticate(text))).user).toEqual(demoted)
  })

  it("is stored as a hash and sealed; its text is nowhere in the store", async () => {
    const world = await makeWorld()
    const text = await create(world)
    const [token] = stored(world)
    expect(token).toMatchObject({ userId: ada.id, name: "CI", createdAt: instantAfter(0), revokedAt: null })
    expect(JSON.stringify(token)).not.toContain(text)
    expect(JSON.stringify(token)).not.toContain(text.slice(4, 20))
  })
})

describe("all refusals of a token are equal, so that they reveal nothing (R19)", () => {
  it.each<[string, (world: UseCaseWorld, text: string) => Promise<string>]>([
    ["unknown", async () => "tdk_0000000000000000000000000000000000000000000000"],
    ["empty", async () => ""],
    ["of another case", async (_, text) => text.toUpperCase()],
    ["longer by a space", async (_, text) => `${text} `],
    [
      "revoked",
      async (world, text) => {
        await world.run(world.store.tokens.save({ ...stored(world)[0]!, revokedAt: instantAfter(0) }))
        return text
      }
    ],
    [
      "of a deactivated user",
      async (world, text) => {
        await world.run(world.store.users.save({ ...ada, active: false }))
        return text
      }
    ],
    [
      "of an unknown user",
      async (world, text) => {
        await world.run(world.store.tokens.save({ ...stored(world)[0]!, userId: UserId.make(999) }))
        return text
      }
    ]
  ])("refuses a token that is %s", async (_, spoil) => {
    const world = await makeWorld()
    const text = await spoil(world, await create(world))
    expect(await world.refusal(authenticate(text))).toEqual(new Unauthenticated())
  })

  it("revoking one token leaves the user's others alone", async () => {
    const world = await makeWorld()
    const [first, second] = [await create(world), await create(world)]
    const of = (text: string) => world.run(authenticate(text))
    const revoked = await of(first)
    const token = stored(world).find(({ id }) => id === revoked.tokenId)!
    await world.run(world.store.tokens.save({ ...token, revokedAt: instantAfter(0) }))
    expect(await world.refusal(authenticate(first))).toEqual(new Unauthenticated())
    expect((await of(second)).user).toEqual(ada)
    expect((await of(second)).tokenId).not.toBe(TokenId.make(revoked.tokenId))
  })

  it("a token of one user never stands for another", async () => {
    const world = await makeWorld()
    const [adas, bobs] = [await create(world), await create(world, { user: bob })]
    expect((await world.run(authenticate(adas))).user.id).toBe(ada.id)
    expect((await world.run(authenticate(bobs))).user.id).toBe(bob.id)
  })
})
