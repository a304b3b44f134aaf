import { suite } from "../../src/blackbox/visibility.ts"
import { Emulator } from "../../src/support/emulator.ts"

suite(new Emulator())
