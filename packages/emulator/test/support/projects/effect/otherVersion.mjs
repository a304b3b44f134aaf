import { startEmulator } from "@tapedeck/emulator"

const emulator = await startEmulator()
await emulator.close()
const message = await import("@tapedeck/emulator/effect").then(
  () => "it loaded",
  (error) => error.message
)
process.stdout.write(message)
