import {
  type Account,
  AccountId,
  type Automation,
  AutomationId,
  type Delivery,
  DeliveryId,
  FolderId,
  Instant,
  parseIso,
  sampleRecording
} from "@tapedeck/domain"
import { folderSchedule } from "@tapedeck/domain/delivery"

/** Maximum number of attempts in flight of each contender. */
export const maxInFlight = 64

/** Number of deliveries that an engine claims at a time if nothing is sent, as the peers' queues and batches do. */
export const atOnceUnsent = 512

/** As large as a recording with some events in it. */
const bodyBytes = 2_048

const createdAt = parseIso("2026-01-01T00:00:00.000Z")!

export const account: Account = { id: AccountId.make(1), name: "Acme", apiAccess: true }

const { uuid } = sampleRecording(account.id, createdAt)

export const automationTo = (url: string): Automation => ({
  id: AutomationId.make("automation"),
  accountId: account.id,
  folderId: FolderId.make("vip"),
  url,
  method: "POST",
  headers: {},
  secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
  previousSecrets: [],
  payloadTemplate: null,
  enabled: true,
  createdAt
})

/** A round's deliveries, all due. */
export const deliveriesOf = (round: number, count: number): ReadonlyArray<Delivery> =>
  Array.from({ length: count }, (_, index) => ({
    id: DeliveryId.make(`delivery_${round}_${index}`),
    accountId: account.id,
    automationId: AutomationId.make("automation"),
    destinationId: null,
    recordingUuid: uuid,
    auditEntryId: null,
    test: false,
    redeliveryOf: null,
    event: "recording.added_to_folder",
    body: bodyOf(round, index),
    createdAt,
    schedule: folderSchedule,
    state: { _tag: "Scheduled", dueAt: Instant.make(createdAt + index) },
    attempts: []
  }))

const bodyOf = (round: number, index: number): string => {
  const start = `{"event":"recording.added_to_folder","round":${round},"index":${index},"text":"`
  return `${start}${"x".repeat(bodyBytes - start.length - 2)}"}`
}
