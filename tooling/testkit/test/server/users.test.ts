import { suite } from "../../src/blackbox/users.ts"
import { Server } from "../../src/support/server.ts"

suite(new Server())
