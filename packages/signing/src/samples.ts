import type { AuditLogEvent, RecordingAddedToFolder } from "./events.ts"

const id = "00000000-0000-0000-0000-000000000000"
const url = `https://rec.acme.example/r/${id}`
const timestamp = "2026-01-01T09:00:00.000Z"

/** Returns an example of the default payload of an automation: the made-up recording of a send-test. */
export const sampleRecordingAddedToFolder = (): RecordingAddedToFolder => ({
  event: "recording.added_to_folder",
  timestamp,
  recording: {
    id,
    title: "Sample recording",
    url,
    video_url: `${url}/video`,
    thumbnail_url: `${url}/thumbnail`,
    customer_email: "customer@example.com",
    duration: 42,
    browser: "Firefox 140",
    os: "Linux",
    console_errors: ["TypeError: x is null"],
    network_errors: [{ method: "GET", url: "https://shop.example.com/api/cart", status: 503 }],
    created_at: timestamp
  },
  folder: { id: "vip", name: "VIP" },
  account: { id: "1", name: "Acme" }
})

/** Returns an example of the payload of an audit destination: an admin disabled an automation. */
export const sampleAuditLogEvent = (): AuditLogEvent => ({
  event: "automation.updated",
  event_category: "admin_actions",
  severity: "medium",
  timestamp,
  audit_log: {
    id: 12,
    event_type: "automation.updated",
    status: "success",
    ip_address: "203.0.113.7",
    user_agent: "Mozilla/5.0 (Macintosh)",
    metadata: {
      target_type: "automation",
      target_id: "7d0f3c1e-5b0a-4c57-9d3e-2f1f6a8b9c10",
      changes: { enabled: { from: true, to: false } }
    }
  },
  user: { id: 1, name: "Ada Lovelace", email: "ada@acme.test" },
  account: { id: 1, name: "Acme" }
})
