import { suite } from "../../src/blackbox/scripts.ts"
import { Emulator } from "../../src/support/emulator.ts"

suite(new Emulator())
