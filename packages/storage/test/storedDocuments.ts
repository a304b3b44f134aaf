import type { Store } from "@tapedeck/core"
import { RecordingId, RedeliveryId } from "@tapedeck/domain"
import { Effect } from "effect"
import { recording, session, vault, writeContent } from "./content.ts"
import {
  aCapture,
  aCaptureLink,
  acme,
  aDelivery,
  aDestination,
  ada,
  aFolder,
  aMail,
  anAutomation,
  anUpload,
  aRedelivery,
  aSite,
  aToken
} from "./samples.ts"

/** A value that no message may contain. */
export const hidden = "plain-value-of-a-broken-row"

const recordingId = RecordingId.make(1)
export const wholeId = RecordingId.make(2)
export const all = { offset: 0, limit: 100 }
const video = { kind: "video", sequence: 1, uploadId: "upload", fileId: "file", sizeBytes: 1 } as const
const log = { kind: "log", sequence: 2, stream: "stream", lines: "" } as const

/** Also what `writeContent` does not write. */
export const writeAll = Effect.fnUntraced(function* (store: Store) {
  yield* writeContent(store)
  yield* store.jobs.enqueue(aMail("one"))
  yield* store.jobs.enqueue(aMail("another"))
  yield* store.redeliveries.save(aRedelivery("redelivery"))
  yield* store.sites.save(aSite("site"))
  yield* store.captureLinks.save(aCaptureLink("link"))
  yield* store.captures.save(aCapture("capture"))
  yield* store.captures.addPiece("capture", video)
  yield* store.captures.addPiece("capture", log)
  yield* store.captures.saveToken({ hash: "hash", captureId: "capture", kind: "log", expiresAt: aMail("").dueAt })
  yield* store.uploads.save(anUpload("upload"))
  yield* store.uploads.addPiece("upload", { start: 0, fileId: "file", sizeBytes: 1 })
  yield* store.shareLinks.add({
    id: "share",
    accountId: acme.id,
    recordingUuid: recording.uuid,
    createdBy: ada.id,
    hash: "share hash",
    sealed: "sealed",
    createdAt: aMail("").dueAt,
    expiresAt: null
  })
  yield* store.deliveries.insert(aDelivery("held"))
  const claims = yield* store.deliveries.claim({ limit: 9, leaseMs: 0 })
  const held = claims.find(({ delivery }) => delivery.id === "held")!
  const result = { outcome: "failure", statusCode: 500, request: null, response: null, error: null } as const
  yield* store.deliveries.hold(held, result, aMail("").dueAt)
  const toDestination = { automationId: null, destinationId: aDestination().id } as const
  yield* store.deliveries.insert({ ...aDelivery("to a destination"), ...toDestination })
})

export interface Kind {
  readonly key: string
  /** Default: `document`. */
  readonly column?: string
  /** Selects the row. Default: `id` is the key. */
  readonly row?: string
  /** Where an object is put in the place of a value. */
  readonly path: string
  /** What is said of it. */
  readonly problem: RegExp
  readonly read: (store: Store) => Effect.Effect<unknown>
}

export const kinds: ReadonlyArray<readonly [table: string, kind: Kind]> = [
  [
    "accounts",
    {
      key: "1",
      path: "$.apiAccess",
      problem: /^apiAccess: Expected boolean$/,
      read: (store) => store.accounts.byId(acme.id)
    }
  ],
  [
    "users",
    { key: "1", path: "$.role", problem: /^role: Expected "admin" /, read: (store) => store.users.byId(ada.id) }
  ],
  ["users", { key: "1", path: "$.createdAt", problem: /^createdAt: /, read: ({ users }) => users.byEmail(ada.email) }],
  [
    "users",
    {
      key: "1",
      path: "$.active",
      problem: /^active: /,
      read: ({ tokens }) => tokens.holder(vault.hash("token text"))
    }
  ],
  [
    "tokens",
    {
      key: "token",
      column: "name",
      path: "$",
      problem: /^Expected string$/,
      read: ({ tokens }) => tokens.byId(aToken("", "").id)
    }
  ],
  [
    "sessions",
    {
      key: "session",
      path: "$.seenAt",
      problem: /^seenAt: Expected number$/,
      read: ({ sessions }) => sessions.holder(session.hash)
    }
  ],
  [
    "folders",
    {
      key: "folder",
      path: "$.createdAt",
      problem: /^createdAt: /,
      read: ({ folders }) => folders.byId(aFolder("folder").id)
    }
  ],
  [
    "automations",
    {
      key: "automation",
      path: "$.enabled",
      problem: /^enabled: /,
      read: ({ automations }) => automations.byId(anAutomation().id)
    }
  ],
  [
    "destinations",
    {
      key: "destination",
      path: "$.filters.categories",
      problem: /^filters\.categories: Expected array$/,
      read: ({ destinations }) => destinations.byId(aDestination().id)
    }
  ],
  ["sites", { key: "site", path: "$.isEnabled", problem: /^isEnabled: /, read: ({ sites }) => sites.list(acme.id) }],
  [
    "capture_links",
    {
      key: "link",
      path: "$.uses",
      problem: /^uses: /,
      read: ({ captureLinks }) => captureLinks.page({ accountId: acme.id }, all)
    }
  ],
  [
    "captures",
    {
      key: "capture",
      path: "$.use.events",
      problem: /^use\.events: /,
      read: ({ captures }) => captures.byId("capture")
    }
  ],
  [
    "captures",
    { key: "capture", path: "$.state", problem: /^state: /, read: ({ captures }) => captures.byToken("hash") }
  ],
  [
    "capture_pieces",
    {
      key: "capture 1",
      row: "sequence = 1",
      path: "$.sizeBytes",
      problem: /^sizeBytes: /,
      read: ({ captures }) => captures.pieces("capture", "video")
    }
  ],
  [
    "capture_pieces",
    {
      key: "capture 2",
      row: "sequence = 2",
      path: "$.sequence",
      problem: /^sequence: /,
      read: ({ captures }) => captures.pieces("capture", "log")
    }
  ],
  [
    "uploads",
    { key: "upload", path: "$.isComplete", problem: /^isComplete: /, read: ({ uploads }) => uploads.byId("upload") }
  ],
  [
    "audit_entries",
    {
      key: "1",
      path: "$.eventType",
      problem: /^eventType: /,
      read: ({ auditEntries }) => auditEntries.page({ accountId: acme.id }, all)
    }
  ],
  ["audit_entries", { key: "1", path: "$.status", problem: /^status: /, read: ({ auditSeals }) => auditSeals.next(9) }],
  [
    "redeliveries",
    {
      key: "redelivery",
      path: "$.state._tag",
      problem: /^state/,
      read: ({ redeliveries }) => redeliveries.byId(RedeliveryId.make("redelivery"))
    }
  ],
  [
    "recordings",
    {
      key: "1",
      path: "$.helpdesk.platform",
      problem: /^helpdesk\.platform: Expected /,
      read: ({ recordings }) => recordings.byId(recordingId)
    }
  ],
  [
    "recording_parts",
    {
      key: "2 speakerMap",
      row: "recording_id = 2 AND part = 'speakerMap'",
      path: "$.0",
      problem: /^0: Expected string$/,
      read: ({ recordingParts }) => recordingParts.read(wholeId, "speakerMap")
    }
  ],
  [
    "recording_parts",
    {
      key: "2 consoleErrors",
      row: "recording_id = 2 AND part = 'consoleErrors'",
      path: "$",
      problem: /^Expected /,
      read: ({ recordingParts }) => recordingParts.read(wholeId, "consoleErrors")
    }
  ],
  [
    "recording_parts",
    {
      key: "2 processed",
      row: "recording_id = 2 AND part = 'processed' AND page = 1",
      path: "$[2].sentences",
      problem: /^2\.sentences: Expected array$/,
      read: ({ recordingParts }) => recordingParts.segments(wholeId, "processed", all)
    }
  ],
  [
    "delivery_documents",
    {
      key: "1",
      row: "sequence = 1",
      path: "$.schedule[0]",
      problem: /^schedule\.0: Expected number$/,
      read: ({ deliveries }) => deliveries.byId(aDelivery("delivered").id)
    }
  ],
  [
    "delivery_documents",
    {
      key: "4",
      row: "sequence = 4",
      path: "$.accountId",
      problem: /^accountId: Expected number$/,
      read: ({ deliveries }) => deliveries.list({})
    }
  ],
  [
    "delivery_queue",
    {
      key: "4",
      column: "state",
      row: "sequence = 4",
      path: "$.dueAt",
      problem: /dueAt: Expected number/,
      read: ({ deliveries }) => deliveries.list({})
    }
  ],
  [
    "delivery_attempts",
    {
      key: "1",
      row: "sequence = 1",
      path: "$.request.headers[0][0]",
      problem: /headers/,
      read: ({ deliveries }) => deliveries.byId(aDelivery("delivered").id)
    }
  ]
]

type SealedKind = Omit<Kind, "column" | "path"> & { readonly broken: string }

export const sealedKinds: ReadonlyArray<readonly [table: string, kind: SealedKind]> = [
  [
    "automations",
    {
      key: "automation",
      broken: JSON.stringify({ secret: { hidden }, previousSecrets: [], headers: {} }),
      problem: /: secret: Expected string/,
      read: ({ automations }) => automations.ofAccount(acme.id)
    }
  ],
  [
    "destinations",
    {
      key: "destination",
      broken: hidden,
      problem: /: is not JSON/,
      read: ({ destinations }) => destinations.ofAccount(acme.id)
    }
  ]
]

type ColumnKind = Omit<Kind, "path"> & { readonly column: string; readonly row: string }

/** Rows whose columns are a value of the domain. */
export const columnKinds: ReadonlyArray<readonly [table: string, kind: ColumnKind]> = [
  [
    "tokens",
    {
      key: "token",
      column: "kind",
      row: "id = 'token'",
      problem: /^kind: Expected "access" /,
      read: ({ tokens }) => tokens.byId(aToken("", "").id)
    }
  ],
  [
    "tokens",
    {
      key: "token",
      column: "created_at",
      row: "id = 'token'",
      problem: /^createdAt: Expected number$/,
      read: ({ tokens }) => tokens.holder(vault.hash("token text"))
    }
  ],
  [
    "share_links",
    {
      key: "share",
      column: "expires_at",
      row: "id = 'share'",
      problem: /^expiresAt: Expected number/,
      read: ({ shareLinks }) => shareLinks.ofRecording(recording.uuid)
    }
  ],
  [
    "sign_in_links",
    {
      key: vault.hash("link text"),
      column: "purpose",
      row: "user_id = 1",
      problem: /^purpose: /,
      read: ({ signInLinks }) => signInLinks.byHash(vault.hash("link text"))
    }
  ],
  [
    "try_windows",
    {
      key: "try",
      column: "ends_at",
      row: "\"key\" = 'try'",
      problem: /^endsAt: Expected number$/,
      read: ({ tryWindows }) => tryWindows.byKey("try")
    }
  ],
  [
    "capture_tokens",
    {
      key: "capture",
      column: "kind",
      row: "hash = 'hash'",
      problem: /^kind: /,
      read: ({ captures }) => captures.byToken("hash")
    }
  ],
  [
    "upload_pieces",
    {
      key: "file",
      column: "size_bytes",
      row: "upload_id = 'upload'",
      problem: /^sizeBytes: /,
      read: ({ uploads }) => uploads.pieces("upload")
    }
  ]
]
