import { suite as faults } from "../src/blackbox/faults.ts"
import { suite as journal } from "../src/blackbox/journal.ts"
import { suite as journalRequests } from "../src/blackbox/journal-requests.ts"
import { suite as journalWait } from "../src/blackbox/journal-wait.ts"
import { suite as strictness } from "../src/blackbox/strictness.ts"
import { Emulator } from "../src/support/emulator.ts"

const emulator = new Emulator()

for (const suite of [faults, journal, journalRequests, journalWait, strictness]) suite(emulator)
