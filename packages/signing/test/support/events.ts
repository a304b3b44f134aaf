import type { AuditLogEvent, RecordingAddedToFolder } from "@tapedeck/signing"

export const added: RecordingAddedToFolder = {
  event: "recording.added_to_folder",
  timestamp: "2026-01-01T00:00:00.000Z",
  recording: {
    id: "0b6fd0f0-93ec-4e8b-a9a8-0d7c3f0f3b1a",
    title: "Login fails",
    url: "https://tapedeck.test/r/0b6fd0f0-93ec-4e8b-a9a8-0d7c3f0f3b1a",
    video_url: "https://tapedeck.test/r/0b6fd0f0-93ec-4e8b-a9a8-0d7c3f0f3b1a/video",
    thumbnail_url: "https://tapedeck.test/r/0b6fd0f0-93ec-4e8b-a9a8-0d7c3f0f3b1a/thumbnail",
    customer_email: "ada@example.com",
    duration: 42,
    browser: "Firefox 144",
    os: "Linux",
    console_errors: ["TypeError: x is undefined"],
    network_errors: [],
    created_at: "2026-01-01T00:00:00.000Z"
  },
  folder: { id: "7", name: "Bugs" },
  account: { id: "1", name: "Acme" }
}

export const audited: AuditLogEvent = {
  event: "user.login",
  event_category: "authentication",
  severity: "low",
  timestamp: "2026-01-01T00:00:00.000Z",
  audit_log: {
    id: 12,
    event_type: "user.login",
    status: "success",
    ip_address: "192.0.2.1",
    user_agent: "Mozilla/5.0",
    metadata: { target_type: "user", target_id: "3", changes: {} }
  },
  user: { id: 3, name: "Ada", email: "ada@example.com" },
  account: { id: 1, name: "Acme" }
}
