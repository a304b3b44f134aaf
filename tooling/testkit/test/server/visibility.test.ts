import { suite } from "../../src/blackbox/visibility.ts"
import { Server } from "../../src/support/server.ts"

suite(new Server())
