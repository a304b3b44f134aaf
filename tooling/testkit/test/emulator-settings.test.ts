import { suite as audit } from "../src/blackbox/settings-audit.ts"
import { suite as automations } from "../src/blackbox/settings-automations.ts"
import { suite as people } from "../src/blackbox/settings-people.ts"
import { suite as rights } from "../src/blackbox/settings-rights.ts"
import { Emulator } from "../src/support/emulator.ts"

const emulator = new Emulator()

for (const suite of [rights, automations, audit, people]) suite(emulator)
