export const token = "bench-token"

export const uuidOf = (index: number): string => `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`

/** A world with so many recordings, a folder, and an automation whose receiver always answers 500. */
export const worldDocument = (recordings: number) => ({
  users: [{ email: "ada@acme.test", name: "Ada", role: "admin" as const, token }],
  recordings: Array.from({ length: recordings }, (_, index) => ({
    uuid: uuidOf(index),
    title: `Recording ${index}`,
    duration: index % 600
  })),
  folders: [{ id: "f", name: "Folder" }],
  sinks: [{ id: "down", respond: [500] }],
  automations: [{ id: "a", folder: "f", url: "sink:down", secret: "bench-secret" }]
})

/** About what the emulator answers for one recording. */
export const recordingBody = (uuid: string) => ({
  uuid,
  title: `Recording ${uuid}`,
  summary: null,
  description: null,
  metadata: {
    created_at: "2026-01-01T00:00:00.000Z",
    updated_at: "2026-01-01T00:00:00.000Z",
    duration: 42,
    impressions_count: 0,
    recording_type: "Received",
    recording_source: "Tapedeck app",
    url: `https://tapedeck.test/r/${uuid}`,
    helpdesk_info: null
  },
  technical_details: null,
  console_logs: [],
  customer: null,
  user: { email: "ada@acme.test", name: "Ada" },
  room_insights: null
})
