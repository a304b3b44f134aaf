import { suite } from "../../src/blackbox/transcript.ts"
import { Emulator } from "../../src/support/emulator.ts"

suite(new Emulator())
