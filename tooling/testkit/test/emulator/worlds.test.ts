import { suite } from "../../src/blackbox/worlds.ts"
import { Emulator } from "../../src/support/emulator.ts"

suite(new Emulator())
