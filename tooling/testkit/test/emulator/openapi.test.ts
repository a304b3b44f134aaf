import { suite } from "../../src/blackbox/openapi.ts"
import { Emulator } from "../../src/support/emulator.ts"

suite(new Emulator())
