import { suite } from "../../src/blackbox/download.ts"
import { Emulator } from "../../src/support/emulator.ts"

suite(new Emulator())
