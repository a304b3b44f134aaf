import { suite } from "../../src/blackbox/links.ts"
import { Emulator } from "../../src/support/emulator.ts"

suite(new Emulator())
