import { suite as captures } from "../src/blackbox/captures.ts"
import { suite as capturesBegin } from "../src/blackbox/captures-begin.ts"
import { suite as capturesOnClock } from "../src/blackbox/captures-clock.ts"
import { suite as capturesEnd } from "../src/blackbox/captures-end.ts"
import { suite as captureLogs } from "../src/blackbox/captures-log.ts"
import { Emulator } from "../src/support/emulator.ts"
import { Server } from "../src/support/server.ts"

const emulator = new Emulator()
captures(emulator)
capturesBegin(emulator)
captureLogs(emulator)
capturesEnd(emulator)
capturesOnClock(emulator)
for (const store of ["sqlite", "postgres"] as const) {
  const server = new Server(store)
  captures(server)
  capturesBegin(server)
  captureLogs(server)
  capturesEnd(server)
}
