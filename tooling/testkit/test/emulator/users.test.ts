import { suite } from "../../src/blackbox/users.ts"
import { Emulator } from "../../src/support/emulator.ts"

suite(new Emulator())
