import { suite as events } from "../src/blackbox/events.ts"
import { suite as firstAttempts } from "../src/blackbox/first-attempts.ts"
import { suite as recordingSearch } from "../src/blackbox/recording-search.ts"
import { suite as audit } from "../src/blackbox/settings-audit.ts"
import { suite as automations } from "../src/blackbox/settings-automations.ts"
import { suite as automationsOnClock } from "../src/blackbox/settings-automations-clock.ts"
import { suite as inputs } from "../src/blackbox/settings-inputs.ts"
import { suite as limits } from "../src/blackbox/settings-limits.ts"
import { suite as people, suiteOnClock as peopleOnClock } from "../src/blackbox/settings-people.ts"
import { suite as rights } from "../src/blackbox/settings-rights.ts"
import { Emulator } from "../src/support/emulator.ts"

const emulator = new Emulator()

for (const suite of [
  rights,
  firstAttempts,
  automations,
  automationsOnClock,
  audit,
  people,
  peopleOnClock,
  inputs,
  limits,
  recordingSearch,
  events
])
  suite(emulator)
