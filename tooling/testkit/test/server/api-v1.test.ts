import { suite } from "../../src/blackbox/api-v1.ts"
import { Server } from "../../src/support/server.ts"

suite(new Server())
