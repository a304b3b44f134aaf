import { startEmulator } from "@tapedeck/emulator"
import { fixtures } from "../fixtures.mjs"

/** jest loads this outside its sandbox: the emulator runs here, and tests reach it over HTTP. */
export default async () => {
  globalThis.emulator = await startEmulator({ fixtures })
  process.env.EMULATOR_CONTROL = globalThis.emulator.control
}
