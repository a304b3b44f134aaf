import type { FixturesDocument } from "@tapedeck/emulator"

export const recordingUuid = "7d0f3c1e-0000-4000-8000-000000000001"

/** A folder whose automation delivers to the sink `crm`; one recording that is in no folder yet. */
export const helpdesk = {
  users: [{ email: "ada@acme.test", name: "Ada", role: "admin", token: "ada-token" }],
  recordings: [{ uuid: recordingUuid, title: "Checkout fails", user: "ada@acme.test" }],
  folders: [{ id: "vip", name: "VIP" }],
  sinks: [{ id: "crm", respond: [200] }],
  automations: [{ id: "a1", folder: "vip", url: "sink:crm", secret: "s3cret" }]
} as const satisfies FixturesDocument

export const asAda = { headers: { authorization: "Bearer ada-token" } }
