import { suite as forks } from "../src/blackbox/forks.ts"
import { suite as idempotency } from "../src/blackbox/idempotency.ts"
import { suite as running } from "../src/blackbox/running.ts"
import { suite as sessions } from "../src/blackbox/sessions.ts"
import { suite as snapshots } from "../src/blackbox/snapshots.ts"
import { Emulator } from "../src/support/emulator.ts"

const emulator = new Emulator()

for (const suite of [forks, snapshots, sessions, running, idempotency]) suite(emulator)
