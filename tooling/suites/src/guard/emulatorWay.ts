import { uuidOf, webhookFixtures, worldOf } from "../hermetic/world.ts"
import type { Way } from "./Way.ts"

interface Shown {
  readonly attempts: ReadonlyArray<{ readonly outcome: string; readonly error: string | null }>
}

/** The emulator's way to receivers: its rules let loopback pass, and sinks, and nothing else. */
export const emulatorWay: Way = {
  name: "the emulator",
  attempt: async (url) => {
    const world = await worldOf(webhookFixtures({ url }))
    await world.addToFolder("vip", uuidOf(1))
    await world.clock.advance({ next: true })
    const [delivery] = (await world.deliveries()) as ReadonlyArray<Shown>
    return delivery!.attempts[0]!
  },
  sendTest: async (url) => {
    const world = await worldOf(webhookFixtures({ url }))
    await world.ask("ada", "/api/settings/automations/a1/test", { method: "POST" })
    const [delivery] = (await world.deliveries()) as ReadonlyArray<Shown>
    return delivery!.attempts[0]!
  }
}
