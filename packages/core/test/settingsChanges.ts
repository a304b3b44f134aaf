import type { AuditEventType } from "@tapedeck/domain/audit"
import { FolderChoice, RecordingInput, RedeliveryInput, TranscriptInput } from "@tapedeck/domain/input"
import { Effect, identity, Stream } from "effect"
import { expect } from "vitest"
import {
  type ApiAccessDisabled,
  DeliveryLog,
  type Forbidden,
  type InputInvalid,
  type NotAPicture,
  type NotFound,
  ProfilePictures,
  RecordingSettings,
  Redeliveries,
  type SessionRequired,
  type SettingsServices,
  type SignInThrottled,
  TranscriptSettings,
  type Unauthenticated,
  type UploadRefusal,
  VideoUploads
} from "../src/index.ts"
import { captureRows } from "./captureChanges.ts"
import { ada, callerOf, uuidOf } from "./examples.ts"
import { folderRows } from "./folderChanges.ts"
import { inputOf } from "./inputOf.ts"
import { peopleRows } from "./peopleChanges.ts"
import { receiverRows } from "./receiverChanges.ts"
import { sharingRows } from "./sharingChanges.ts"
import type { UseCases } from "./useCaseWorld.ts"

type Refusal =
  | ApiAccessDisabled
  | Forbidden
  | InputInvalid
  | NotAPicture
  | NotFound
  | SessionRequired
  | SignInThrottled
  | Unauthenticated
  | UploadRefusal
export type Change = Effect.Effect<unknown, Refusal, SettingsServices | UseCases>

interface Row {
  readonly does: string
  /** What has to be there first. */
  readonly after?: Change
  readonly change: Change
  /** The entry it makes: event type, target, and what changed. */
  readonly entry: readonly [AuditEventType, string, unknown]
}

export const admin = callerOf(ada, { kind: "session" })
export const one = uuidOf(1)
const crm = { kind: "automation", id: "crm" } as const

const file = { contentType: "video/mp4", bytes: Stream.succeed(new Uint8Array([9, 9])) }
const jpeg = Uint8Array.of(0xff, 0xd8, 0xff, 0xe0)
const jpegFile = { content_type: "image/jpeg", size_bytes: 4, etag: expect.any(String) }
const moved = Effect.flatMap(RecordingSettings, ({ move }) =>
  move(admin, one, inputOf(FolderChoice, { folder_id: "vip" }))
)

const made = (to: unknown) => ({ from: null, to })
const gone = (from: unknown) => ({ from, to: null })

/** Everything that the settings change, and the audit entry that each makes. */
export const rows: ReadonlyArray<Row> = [
  ...folderRows,
  {
    does: "making a recording",
    change: Effect.flatMap(RecordingSettings, ({ create }) => create(admin, inputOf(RecordingInput, { title: "T" }))),
    entry: ["recording.created", "recording", { title: made("T"), user: made("ada@acme.test") }]
  },
  {
    does: "uploading a video",
    change: Effect.flatMap(VideoUploads, ({ upload }) => upload(admin, one, file)),
    entry: [
      "recording.updated",
      `recording ${one}`,
      {
        video: {
          from: { content_type: "video/webm", size_bytes: 3 },
          to: { content_type: "video/mp4", size_bytes: 2 }
        }
      }
    ]
  },
  {
    does: "filing a recording",
    change: moved,
    entry: ["recording.added_to_folder", `recording ${one}`, { folder_id: made("vip") }]
  },
  {
    does: "taking a recording out of its folder",
    after: moved,
    change: Effect.flatMap(RecordingSettings, ({ leave }) => leave(admin, one)),
    entry: ["recording.removed_from_folder", `recording ${one}`, { folder_id: gone("vip") }]
  },
  {
    does: "deleting a recording",
    change: Effect.flatMap(RecordingSettings, ({ remove }) => remove(admin, one)),
    entry: ["recording.deleted", `recording ${one}`, { title: gone("Recording 1") }]
  },
  ...receiverRows,
  ...sharingRows,
  ...captureRows,
  {
    does: "editing a transcript",
    change: Effect.flatMap(TranscriptSettings, ({ edit }) =>
      edit(admin, one, inputOf(TranscriptInput, { segments: [{ start_seconds: 0, text: "Said" }] }))
    ),
    entry: ["transcript.updated", `recording ${one}`, { segments: made(1) }]
  },
  {
    does: "asking for a transcript",
    change: Effect.flatMap(TranscriptSettings, ({ request }) => request(admin, one)),
    entry: ["transcript.requested", `recording ${one}`, { status: { from: "ready", to: "processing" } }]
  },
  {
    does: "setting a profile picture",
    change: Effect.flatMap(ProfilePictures, ({ put }) => put(admin, "12", jpeg)),
    entry: ["user.updated", "user 12", { profile_picture: made(jpegFile) }]
  },
  {
    does: "removing a profile picture",
    after: Effect.flatMap(ProfilePictures, ({ put }) => put(admin, "12", jpeg)),
    change: Effect.flatMap(ProfilePictures, ({ remove }) => remove(admin, "12")),
    entry: ["user.updated", "user 12", { profile_picture: gone(jpegFile) }]
  },
  ...peopleRows,
  {
    does: "delivering again",
    after: moved,
    change: Effect.gen(function* () {
      const { list, redeliver } = yield* DeliveryLog
      const page = yield* list(admin, crm, { each: identity })
      return yield* redeliver(admin, crm, page.items[0]!.id)
    }),
    entry: ["automation.redelivered", "automation crm", { delivery: expect.anything() }]
  },
  {
    does: "a delivery is called off",
    after: moved,
    change: Effect.gen(function* () {
      const { cancel, list } = yield* DeliveryLog
      const page = yield* list(admin, crm, { each: identity })
      return yield* cancel(admin, page.items[0]!.id)
    }),
    entry: ["automation.delivery_cancelled", "automation crm", { delivery: { from: expect.any(String), to: null } }]
  },
  {
    does: "deliveries are delivered again by a filter",
    change: Effect.flatMap(Redeliveries, ({ start }) => start(admin, inputOf(RedeliveryInput, { rate: 5 }))),
    entry: ["redelivery.started", "redelivery ", { limit: { from: null, to: 1_000 }, rate: { from: null, to: 5 } }]
  },
  {
    does: "a redelivery is stopped",
    after: Effect.flatMap(Redeliveries, ({ start }) => start(admin, inputOf(RedeliveryInput, {}))),
    change: Effect.gen(function* () {
      const { list, stop } = yield* Redeliveries
      const [running] = yield* list(admin)
      return yield* stop(admin, running!.id)
    }),
    entry: ["redelivery.stopped", "redelivery ", { redelivered: { from: null, to: 0 } }]
  }
]
