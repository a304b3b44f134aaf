import { suite } from "../../src/blackbox/clock.ts"
import { Emulator } from "../../src/support/emulator.ts"

suite(new Emulator())
