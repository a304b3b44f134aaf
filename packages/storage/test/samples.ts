import {
  type AccessToken,
  type Account,
  AccountId,
  type AuditDestination,
  type Automation,
  AutomationId,
  type Delivery,
  DeliveryId,
  DestinationId,
  type Folder,
  FolderId,
  folderSchedule,
  Instant,
  TokenId,
  type User,
  UserId
} from "@tapedeck/domain"

export const start = Instant.make(1_767_225_600_000)

export const acme: Account = { id: AccountId.make(1), name: "Acme", apiAccess: true }

export const ada: User = {
  id: UserId.make(1),
  accountId: acme.id,
  email: "ada@acme.test",
  name: "Ada",
  role: "admin",
  active: true,
  hasProfilePicture: false,
  notifyFailedDeliveries: "Enabled",
  notifications: { notifyFirstView: "Enabled", notifyAllRecordings: "Disabled", notifyOwnRecordings: "Enabled" },
  createdAt: start,
  updatedAt: start
}

export const aFolder = (id: string): Folder => ({
  id: FolderId.make(id),
  accountId: acme.id,
  name: `Folder ${id}`,
  createdAt: start
})

export const aToken = (hash: string, sealed: string): AccessToken => ({
  id: TokenId.make("token"),
  userId: ada.id,
  name: "Token",
  kind: "access",
  hash,
  sealed,
  createdAt: start,
  revokedAt: null,
  lastUsedAt: null
})

export const anAutomation = (known: Partial<Automation> = {}): Automation => ({
  id: AutomationId.make("automation"),
  accountId: acme.id,
  folderId: FolderId.make("folder"),
  url: "https://receiver.test/hook",
  method: "POST",
  headers: {},
  secret: "whsec_c2VjcmV0",
  previousSecrets: [],
  payloadTemplate: null,
  enabled: true,
  createdAt: start,
  ...known
})

export const aDestination = (known: Partial<AuditDestination> = {}): AuditDestination => ({
  id: DestinationId.make("destination"),
  accountId: acme.id,
  name: "Destination",
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
  createdAt: start,
  ...known
})

export const aDelivery = (id: string): Delivery => ({
  id: DeliveryId.make(id),
  accountId: acme.id,
  kind: "automation",
  automationId: AutomationId.make("automation"),
  destinationId: null,
  recordingUuid: null,
  auditEntryId: null,
  test: false,
  redeliveryOf: null,
  event: "recording.added_to_folder",
  body: '{"event":"recording.added_to_folder"}',
  createdAt: start,
  schedule: folderSchedule,
  state: { _tag: "Scheduled", dueAt: start },
  attempts: []
})
