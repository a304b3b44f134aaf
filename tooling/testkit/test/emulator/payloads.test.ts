import { suite } from "../../src/blackbox/payloads.ts"
import { Emulator } from "../../src/support/emulator.ts"

suite(new Emulator())
