import { suite } from "../src/blackbox/client.ts"
import { Server } from "../src/support/server.ts"

suite(new Server("sqlite"), { hasTus: true })
suite(new Server("postgres"), { hasTus: true })
