import { suite } from "../../src/blackbox/requests.ts"
import { Emulator } from "../../src/support/emulator.ts"

suite(new Emulator())
