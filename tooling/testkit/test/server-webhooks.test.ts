import { suite as audit } from "../src/blackbox/audit.ts"
import { suite as deadline } from "../src/blackbox/deadline.ts"
import { suite as firstAttempts } from "../src/blackbox/first-attempts.ts"
import { suite as rateLimit } from "../src/blackbox/rate-limit.ts"
import { suite as settingsAudit } from "../src/blackbox/settings-audit.ts"
import { Server } from "../src/support/server.ts"

for (const store of ["sqlite", "postgres"] as const) {
  const server = new Server(store, { withSignIn: true })
  for (const suite of [firstAttempts, deadline, audit, settingsAudit]) suite(server)
  rateLimit(new Server(store))
}
