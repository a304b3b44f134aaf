import { suite as audit, suiteOnClock as auditOnClock } from "../src/blackbox/audit.ts"
import { suite as auditDestinations } from "../src/blackbox/audit-destinations.ts"
import { suite as folders } from "../src/blackbox/folders.ts"
import { suite as oddReceivers } from "../src/blackbox/odd-receivers.ts"
import { suite as payloads } from "../src/blackbox/payloads.ts"
import { suite as receivers } from "../src/blackbox/receivers.ts"
import { suite as sinks } from "../src/blackbox/sinks.ts"
import { suite as webhooks } from "../src/blackbox/webhooks.ts"
import { Emulator } from "../src/support/emulator.ts"

const emulator = new Emulator()

for (const suite of [
  folders,
  webhooks,
  payloads,
  sinks,
  receivers,
  oddReceivers,
  audit,
  auditOnClock,
  auditDestinations
])
  suite(emulator)
