import { suite } from "../../src/blackbox/api-v2.ts"
import { Emulator } from "../../src/support/emulator.ts"

suite(new Emulator())
