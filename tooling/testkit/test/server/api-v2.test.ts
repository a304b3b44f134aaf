import { suite } from "../../src/blackbox/api-v2.ts"
import { Server } from "../../src/support/server.ts"

suite(new Server())
