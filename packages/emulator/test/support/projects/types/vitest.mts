import { expect, test, withEmulator } from "@tapedeck/emulator/vitest"
import { test as vitestTest } from "vitest"

const ours = withEmulator(vitestTest.extend<{ readonly user: string }>({ user: "ada" }), { seed: 7 })

ours("beside fixtures of one's own", async ({ user, world }) => {
  const names: ReadonlyArray<string> = [user, world.id]
  expect(names).toHaveLength(2)
})

test.override({ worldOptions: { seed: 3, fixtures: { folders: [{ name: "VIP" }] } } })
// @ts-expect-error: no such option
test.override({ worldOptions: { seeds: 3 } })

test("matchers", async ({ emulator, world }) => {
  const [delivery] = await world.deliveries()
  expect(delivery).toHaveAttemptsAt("0", 60_000)
  expect(delivery).not.toBeDelivered()
  await expect(emulator.deliveries()).resolves.toBePermanentlyFailed()
  expect({ delivery }).toEqual({ delivery: expect.toHaveValidSignatures("s3cret", { vendor: "Acme" }) })
  // @ts-expect-error: no outcome
  expect(delivery).toHaveOutcomes("succes")
})
