import { suite } from "../../src/blackbox/moves.ts"
import { Emulator } from "../../src/support/emulator.ts"

suite(new Emulator())
