import { suite } from "../../src/blackbox/refusals.ts"
import { Server } from "../../src/support/server.ts"

suite(new Server())
