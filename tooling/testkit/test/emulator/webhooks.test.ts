import { suite } from "../../src/blackbox/webhooks.ts"
import { Emulator } from "../../src/support/emulator.ts"

suite(new Emulator())
