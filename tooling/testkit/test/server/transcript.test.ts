import { suite } from "../../src/blackbox/transcript.ts"
import { Server } from "../../src/support/server.ts"

suite(new Server())
