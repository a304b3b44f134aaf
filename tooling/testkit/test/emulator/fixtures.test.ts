import { suite } from "../../src/blackbox/fixtures.ts"
import { Emulator } from "../../src/support/emulator.ts"

suite(new Emulator())
