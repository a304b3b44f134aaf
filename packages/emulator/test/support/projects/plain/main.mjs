import { startEmulator } from "@tapedeck/emulator"
import { fixtures, recording } from "../fixtures.mjs"

const emulator = await startEmulator({ fixtures })
await emulator.addToFolder("vip", recording)
const { fired } = await emulator.clock.advance({ until: "idle" })
const { status } = await fetch(emulator.control)
await emulator.close()
process.stdout.write(JSON.stringify({ outcomes: fired.map(({ outcome }) => outcome), status }))
