import { quotaSettings, suite } from "../src/blackbox/quota.ts"
import { Server } from "../src/support/server.ts"

for (const store of ["sqlite", "postgres"] as const) suite(new Server(store, { settings: quotaSettings }))
