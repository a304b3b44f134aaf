import { type AccountId, RecordingId, RecordingUuid } from "../ids.ts"
import type { EventParts } from "../template/variables.ts"
import type { Instant } from "../time.ts"
import type { Recording } from "./Recording.ts"

/** The UUID of the sample recording of send-tests. No recording has it: random UUIDs have a version and a variant. */
export const SAMPLE_RECORDING_UUID = RecordingUuid.make("00000000-0000-0000-0000-000000000000")

/**
 * The recording of an automation's send-tests. It is invented, so that a test reveals no data of an account, and every field that
 * a variable of a payload template reads is set.
 */
export const sampleRecording = (accountId: AccountId, at: Instant): Recording => ({
  id: RecordingId.make(1),
  uuid: SAMPLE_RECORDING_UUID,
  accountId,
  ownerId: null,
  title: "Sample recording",
  summary: "Made up, to try out a webhook.",
  description: "Shows what a webhook contains.",
  createdAt: at,
  updatedAt: at,
  durationSeconds: 42,
  impressionsCount: 0,
  type: "Received",
  source: null,
  helpdesk: {
    platform: "zendesk",
    ticketId: "4711",
    activeTicketId: "4712",
    conversationId: "215",
    issueId: "SHOP-7",
    objectId: "9001",
    userId: null,
    operatorId: null,
    customerId: "77"
  },
  technicalDetails: { vendor: null, ipAddress: null, timezone: null, networkType: null, isp: null },
  consoleLogs: null,
  browser: "Firefox 140",
  os: "Linux",
  customerEmail: "customer@example.com",
  roomInsights: null,
  v1Platform: null,
  folderId: null,
  isLogShared: true,
  redactions: {},
  video: { original: null, processed: null, edited: null },
  transcript: null
})

/** The separately read parts of the sample recording's event. */
export const sampleEventParts: EventParts = {
  errors: {
    consoleErrors: ["TypeError: x is null"],
    networkErrors: [{ method: "GET", url: "https://shop.example.com/api/cart", status: 503 }]
  },
  owner: { email: "agent@example.com", name: "Sample agent" },
  transcript: { language: "en", text: "I click on Pay. Nothing happens." }
}
