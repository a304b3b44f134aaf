import { CaptureLinkInput } from "@tapedeck/domain/input"
import { Effect } from "effect"
import { expect, it } from "vitest"
import { CaptureLinkSettings, CaptureStarts } from "../src/index.ts"
import { ada, callerOf } from "./examples.ts"
import { inputOf } from "./inputOf.ts"
import { makeSettingsWorld } from "./settingsWorld.ts"

const key = "a-key-of-the-customer-s-page"

it.each([
  ["used up", () => Effect.void],
  ["revoked", (id: string) => CaptureLinkSettings.use(({ revoke }) => revoke(callerOf(ada), id))]
])("a repeat gets the first one's capture if the link is %s between its reads", async (_, end) => {
  const world = await makeSettingsWorld()
  const made = await world.run(
    CaptureLinkSettings.use(({ create }) => create(callerOf(ada), inputOf(CaptureLinkInput, { title: "Show us" })))
  )
  const begin = (beginKey: string) =>
    world.run(CaptureStarts.use(({ beginByLink }) => beginByLink(made.token, beginKey)))
  const { captureLinks } = world.store
  const { byHash } = captureLinks
  let first: Awaited<ReturnType<typeof begin>> | undefined
  const meanwhile = async () => {
    first = await begin(key)
    await world.run(end(made.link.id))
  }
  Object.assign(captureLinks, {
    byHash: (hash: string) =>
      Effect.suspend(() => {
        Object.assign(captureLinks, { byHash })
        return Effect.andThen(Effect.promise(meanwhile), byHash(hash))
      })
  })
  const second = await begin(key)
  expect(second).toMatchObject({ capture: { id: first!.capture.id }, isRepeated: true })
  expect(second.token).not.toBe(first!.token)
  await expect(begin("the-key-of-another-page")).rejects.toThrow()
})
