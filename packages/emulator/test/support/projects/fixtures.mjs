export const recording = "7d0f3c1e-0000-4000-8000-000000000001"

export const fixtures = {
  users: [{ email: "ada@acme.test", name: "Ada", role: "admin" }],
  recordings: [{ uuid: recording, user: "ada@acme.test" }],
  folders: [{ id: "vip", name: "VIP" }],
  sinks: [{ id: "crm", respond: [500, 200] }],
  automations: [{ folder: "vip", url: "sink:crm", secret: "s3cret" }]
}
