import {
  type Account,
  AccountId,
  type AuditDestination,
  AuditEntryId,
  type Automation,
  AutomationId,
  type Delivery,
  DeliveryId,
  DestinationId,
  FolderId,
  Instant,
  parseIso,
  RecordingUuid
} from "@tapedeck/domain"
import { auditSchedule, folderSchedule } from "@tapedeck/domain/delivery"
import type { Answer } from "../src/index.ts"

export const startInstant: Instant = parseIso("2026-01-01T00:00:00.000Z")!

/** So many milliseconds after the start. */
export const instantAfter = (ms: number): Instant => Instant.make(startInstant + ms)

export const minutes = (...list: ReadonlyArray<number>): ReadonlyArray<number> => list.map((one) => one * 60_000)

export const acme: Account = { id: AccountId.make(1), name: "Acme", apiAccess: true }

export const recordingUuid = RecordingUuid.make("00000000-0000-4000-8000-000000000001")

export const anAutomation = (known: Partial<Automation> = {}): Automation => ({
  id: AutomationId.make("automation"),
  accountId: acme.id,
  folderId: FolderId.make("vip"),
  url: "https://receiver.test/hook",
  method: "POST",
  headers: {},
  secret: "secret",
  previousSecrets: [],
  payloadTemplate: null,
  enabled: true,
  createdAt: startInstant,
  ...known
})

export const aDestination = (known: Partial<AuditDestination> = {}): AuditDestination => ({
  id: DestinationId.make("siem"),
  accountId: acme.id,
  name: "SIEM",
  url: "https://siem.test/",
  description: null,
  secret: null,
  previousSecrets: [],
  headers: {},
  timeoutMs: 30_000,
  maxRetries: 6,
  filters: { categories: [], eventTypes: [], severities: [] },
  signature: "hex",
  enabled: true,
  createdAt: startInstant,
  ...known
})

/** A delivery of the automation, due at the start. */
export const aDelivery = (known: Partial<Delivery> = {}): Delivery => ({
  id: DeliveryId.make("delivery"),
  accountId: acme.id,
  automationId: anAutomation().id,
  destinationId: null,
  recordingUuid,
  auditEntryId: null,
  test: false,
  redeliveryOf: null,
  event: "recording.added_to_folder",
  body: '{"title":"Größe 🎥"}',
  createdAt: startInstant,
  schedule: folderSchedule,
  state: { _tag: "Scheduled", dueAt: startInstant },
  attempts: [],
  ...known
})

/** A delivery to the audit destination, due at the start. */
export const anAuditDelivery = (known: Partial<Delivery> = {}): Delivery =>
  aDelivery({
    automationId: null,
    destinationId: aDestination().id,
    recordingUuid: null,
    auditEntryId: AuditEntryId.make(1),
    event: "user.login",
    schedule: auditSchedule(6),
    ...known
  })

export const answered = (statusCode: number): Answer => ({
  outcome: statusCode >= 200 && statusCode < 300 ? "success" : "failure",
  statusCode,
  response: { headers: [["x-receiver", "yes"]], body: "seen", truncated: false },
  error: null
})

export const timedOut: Answer = { outcome: "timeout", statusCode: null, response: null, error: "timed out" }
