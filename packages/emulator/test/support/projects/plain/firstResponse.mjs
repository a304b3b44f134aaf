import { startEmulator } from "@tapedeck/emulator"

const emulator = await startEmulator({})
const { status } = await emulator.fetch("/api/v2/recordings")
console.log(status)
await emulator.close()
