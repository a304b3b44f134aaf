import { suite } from "../../src/blackbox/update.ts"
import { Server } from "../../src/support/server.ts"

suite(new Server())
