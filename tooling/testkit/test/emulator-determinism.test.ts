import { suite } from "../src/blackbox/determinism.ts"
import { Emulator } from "../src/support/emulator.ts"

suite(new Emulator(), new Emulator())
