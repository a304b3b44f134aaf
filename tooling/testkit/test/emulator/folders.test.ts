import { suite } from "../../src/blackbox/folders.ts"
import { Emulator } from "../../src/support/emulator.ts"

suite(new Emulator())
