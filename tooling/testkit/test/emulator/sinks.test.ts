import { suite } from "../../src/blackbox/sinks.ts"
import { Emulator } from "../../src/support/emulator.ts"

suite(new Emulator())
