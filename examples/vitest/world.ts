import { connect } from "@tapedeck/emulator/connect"
import { inject, onTestFinished } from "vitest"

export const secret = "whsec_c2VjcmV0LXNlY3JldC1zZWNyZXQ="
export const recording = "7d0f3c1e-5a2b-4c3d-8e9f-0a1b2c3d4e5f"

/** A world with a recording of a ticket, and with a folder whose webhook calls the sink `crm`. It lasts as long as the test. */
export const startWorld = async () => {
  const emulator = await connect(inject("emulatorUrl"))
  const world = await emulator.createWorld({
    fixtures: {
      users: [{ email: "ada@acme.test", name: "Ada", role: "admin", token: "ada-token" }],
      recordings: [
        {
          uuid: recording,
          title: "Checkout fails",
          user: "ada@acme.test",
          helpdesk: { platform: "zendesk", ticket_id: "4711" }
        }
      ],
      folders: [{ id: "vip", name: "VIP" }],
      sinks: [{ id: "crm" }],
      automations: [{ folder: "vip", url: "sink:crm", secret }]
    }
  })
  onTestFinished(() => world.remove())
  return world
}
