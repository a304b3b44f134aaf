import { suite } from "../../src/blackbox/api-v1.ts"
import { Emulator } from "../../src/support/emulator.ts"

suite(new Emulator())
