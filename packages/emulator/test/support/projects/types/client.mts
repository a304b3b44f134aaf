import type { Recording, Tapedeck } from "@tapedeck/client"
import { emulatorClient } from "@tapedeck/emulator/client"
import { test } from "@tapedeck/emulator/vitest"

const tapedeck = await emulatorClient({
  fixtures: { users: [{ email: "ada@acme.test", name: "Ada" }] },
  as: "ada@acme.test"
})
const recording: Recording = await tapedeck.recordings.get("r")
console.log(recording.title satisfies string | null)
await tapedeck.world.clock.advance({ by: "PT1M" })
await tapedeck.close()
// @ts-expect-error: no such option
await emulatorClient({ who: "ada@acme.test" })

test("a client of the test's world", async ({ tapedeck: ours }) => {
  const any: Tapedeck = ours
  await any.recordings.list()
})
