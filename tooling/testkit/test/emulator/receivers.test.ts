import { suite } from "../../src/blackbox/receivers.ts"
import { Emulator } from "../../src/support/emulator.ts"

suite(new Emulator())
