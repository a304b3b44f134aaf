import { suite } from "../../src/blackbox/openapi.ts"
import { Server } from "../../src/support/server.ts"

suite(new Server())
