import { suite } from "../../src/blackbox/links.ts"
import { Server } from "../../src/support/server.ts"

suite(new Server())
