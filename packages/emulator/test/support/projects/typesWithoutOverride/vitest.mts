import { expect, withEmulator } from "@tapedeck/emulator/vitest"
import { test as vitestTest } from "vitest"

const ours = withEmulator(vitestTest.extend<{ readonly user: string }>({ user: "ada" }), { seed: 7 })
// @ts-expect-error: no such option
withEmulator(vitestTest, { seeds: 7 })

ours("matchers, beside fixtures of one's own", async ({ emulator, user, world }) => {
  const names: ReadonlyArray<string> = [user, world.id]
  expect(names).toHaveLength(2)
  const [delivery] = await world.deliveries()
  expect(delivery).toHaveAttemptsAt("0", 60_000)
  await expect(emulator.deliveries()).resolves.toBePermanentlyFailed()
  // @ts-expect-error: no outcome
  expect(delivery).toHaveOutcomes("succes")
})
