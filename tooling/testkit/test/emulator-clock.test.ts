import { suite as clock } from "../src/blackbox/clock.ts"
import { suite as moves } from "../src/blackbox/moves.ts"
import { Emulator } from "../src/support/emulator.ts"

const emulator = new Emulator()

for (const suite of [clock, moves]) suite(emulator)
