import { suite } from "../../src/blackbox/rate-limit.ts"
import { Emulator } from "../../src/support/emulator.ts"

suite(new Emulator())
