import { suite } from "../../src/blackbox/control.ts"
import { Emulator } from "../../src/support/emulator.ts"

suite(new Emulator())
