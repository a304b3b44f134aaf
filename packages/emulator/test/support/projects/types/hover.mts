import { startEmulator } from "@tapedeck/emulator"
import { test, withEmulator } from "@tapedeck/emulator/vitest"
import { test as vitestTest } from "vitest"

export const start = () =>
  startEmulator({
    config: { real_timeout_ms: 1_000 },
    fixtures: {
      recordings: [
        {
          duration: 30,
          helpdesk: { platform: "zendesk", ticket_id: "4711" },
          transcript: { script: [{ at: "PT30S", status: "ready" }], segments: [{ start_seconds: 2, text: "Hi" }] }
        }
      ]
    }
  })

test.override({
  worldOptions: {
    fixtures: { automations: [{ folder: "vip", url: "sink:crm", headers: { "x-team": "vip" } }] }
  }
})

export const ours = withEmulator(vitestTest, {
  fixtures: { audit_destinations: [{ name: "SIEM", url: "sink:siem", timeout_seconds: 10 }] }
})
