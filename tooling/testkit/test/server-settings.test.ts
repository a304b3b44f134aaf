import { suite as events } from "../src/blackbox/events.ts"
import { suite as recordingSearch } from "../src/blackbox/recording-search.ts"
import { suite as automations } from "../src/blackbox/settings-automations.ts"
import { suite as people } from "../src/blackbox/settings-people.ts"
import { suite as rights } from "../src/blackbox/settings-rights.ts"
import { Server } from "../src/support/server.ts"

for (const store of ["sqlite", "postgres"] as const) {
  const server = new Server(store, { withSignIn: true })
  for (const suite of [rights, automations, people, recordingSearch, events]) suite(server)
}
