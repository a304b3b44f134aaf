import { suite } from "../../src/blackbox/refusals.ts"
import { Emulator } from "../../src/support/emulator.ts"

suite(new Emulator())
