import { suite } from "../../src/blackbox/update.ts"
import { Emulator } from "../../src/support/emulator.ts"

suite(new Emulator())
