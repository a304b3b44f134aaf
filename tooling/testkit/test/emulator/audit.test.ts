import { suite } from "../../src/blackbox/audit.ts"
import { Emulator } from "../../src/support/emulator.ts"

suite(new Emulator())
