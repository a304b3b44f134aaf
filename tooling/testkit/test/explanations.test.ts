import { suite, suiteOnClock } from "../src/blackbox/explain.ts"
import { Emulator } from "../src/support/emulator.ts"
import { Server } from "../src/support/server.ts"

for (const target of [new Emulator(), new Server("memory"), new Server("sqlite")]) suite(target)
suiteOnClock(new Emulator())
