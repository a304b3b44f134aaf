import { suite } from "../../src/blackbox/fixture-refusals.ts"
import { Emulator } from "../../src/support/emulator.ts"

suite(new Emulator())
