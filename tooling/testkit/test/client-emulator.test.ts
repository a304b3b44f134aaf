import { suite } from "../src/blackbox/client.ts"
import { Emulator } from "../src/support/emulator.ts"

suite(new Emulator(), { hasTus: false })
