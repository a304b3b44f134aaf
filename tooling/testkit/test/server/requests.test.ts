import { suite } from "../../src/blackbox/requests.ts"
import { Server } from "../../src/support/server.ts"

suite(new Server())
