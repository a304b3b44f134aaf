import { suite } from "../../src/blackbox/download.ts"
import { Server } from "../../src/support/server.ts"

suite(new Server())
