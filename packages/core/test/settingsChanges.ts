import type { AuditEventType } from "@tapedeck/domain/audit"
import { Effect, identity, Stream } from "effect"
import { expect } from "vitest"
import {
  AccountSettings,
  type ApiAccessDisabled,
  AutomationSettings,
  DeliveryLog,
  DestinationSettings,
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
  TokenSettings,
  TranscriptSettings,
  type Unauthenticated,
  type UploadRefusal,
  UserSettings,
  VideoUploads
} from "../src/index.ts"

import { captureRows } from "./captureChanges.ts"
import { ada, callerOf, uuidOf } from "./examples.ts"
import { folderRows } from "./folderChanges.ts"
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
const moved = Effect.flatMap(RecordingSettings, ({ move }) => move(admin, one, { folder_id: "vip" }))
const invited = Effect.flatMap(UserSettings, ({ invite }) => invite(admin, { email: "g@acme.test", name: "Grace" }))
const issued = Effect.flatMap(TokenSettings, ({ create }) => create(admin, { name: "CI" }))

const made = (to: unknown) => ({ from: null, to })
const gone = (from: unknown) => ({ from, to: null })

/** Everything that the settings change, and the audit entry that each makes. */
export const rows: ReadonlyArray<Row> = [
  ...folderRows,
  {
    does: "making a recording",
    change: Effect.flatMap(RecordingSettings, ({ create }) => create(admin, { title: "T" })),
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
  ...sharingRows,
  ...captureRows,
  {
    does: "editing a transcript",
    change: Effect.flatMap(TranscriptSettings, ({ edit }) =>
      edit(admin, one, { segments: [{ start_seconds: 0, text: "Said" }] })
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
  {
    does: "making an automation",
    change: Effect.flatMap(AutomationSettings, ({ create }) =>
      create(admin, {
        folder_id: "bugs",
        url: "https://x.test/secret/path?key=1",
        headers: { "X-Key": "k" },
        payload: "{}",
        secret: "s"
      })
    ),
    entry: [
      "automation.created",
      "automation",
      {
        folder_id: made("bugs"),
        url: made("https://x.test"),
        method: made("POST"),
        headers: made(["X-Key"]),
        payload: made("custom"),
        enabled: made(true)
      }
    ]
  },
  {
    does: "changing an automation",
    change: Effect.flatMap(AutomationSettings, ({ update }) =>
      update(admin, "crm", { method: "PUT", headers: { "X-Key": "other" }, url: "https://receiver.test/elsewhere" })
    ),
    entry: [
      "automation.updated",
      "automation crm",
      {
        url: { from: "https://receiver.test", to: "https://receiver.test" },
        method: { from: "POST", to: "PUT" },
        headers: { from: ["X-Key"], to: ["X-Key"] }
      }
    ]
  },
  {
    does: "deleting an automation",
    change: Effect.flatMap(AutomationSettings, ({ remove }) => remove(admin, "crm")),
    entry: [
      "automation.deleted",
      "automation crm",
      {
        folder_id: gone("vip"),
        url: gone("https://receiver.test"),
        method: gone("POST"),
        headers: gone(["X-Key"]),
        payload: gone("default"),
        enabled: gone(true)
      }
    ]
  },
  {
    does: "viewing an automation's secret",
    change: Effect.flatMap(AutomationSettings, ({ viewSecret }) => viewSecret(admin, "crm")),
    entry: ["automation.secret_viewed", "automation crm", {}]
  },
  {
    does: "rotating an automation's secret",
    change: Effect.flatMap(AutomationSettings, ({ rotateSecret }) => rotateSecret(admin, "crm", {})),
    entry: ["automation.secret_rotated", "automation crm", {}]
  },
  {
    does: "making a destination",
    change: Effect.flatMap(DestinationSettings, ({ create }) =>
      create(admin, { name: "D", url: "https://d.test/", enabled: false })
    ),
    entry: [
      "audit_destination.created",
      "audit_destination",
      {
        name: made("D"),
        url: made("https://d.test"),
        description: made(null),
        headers: made([]),
        timeout_seconds: made(30),
        max_retries: made(6),
        filters: made({ categories: [], event_types: [], severities: [] }),
        signature: made("hex"),
        enabled: made(false)
      }
    ]
  },
  {
    does: "changing a destination",
    change: Effect.flatMap(DestinationSettings, ({ update }) =>
      update(admin, "siem", { timeout_seconds: 60, filters: { severities: ["high"] } })
    ),
    entry: [
      "audit_destination.updated",
      "audit_destination siem",
      {
        timeout_seconds: { from: 30, to: 60 },
        filters: {
          from: { categories: [], event_types: [], severities: [] },
          to: { categories: [], event_types: [], severities: ["high"] }
        }
      }
    ]
  },
  {
    does: "deleting a destination",
    change: Effect.flatMap(DestinationSettings, ({ remove }) => remove(admin, "siem")),
    entry: [
      "audit_destination.deleted",
      "audit_destination siem",
      {
        name: gone("Destination siem"),
        url: gone("https://siem.test"),
        description: gone(null),
        headers: gone([]),
        timeout_seconds: gone(30),
        max_retries: gone(6),
        filters: gone({ categories: [], event_types: [], severities: [] }),
        signature: gone("hex"),
        enabled: gone(true)
      }
    ]
  },
  {
    does: "viewing a destination's secret",
    change: Effect.flatMap(DestinationSettings, ({ viewSecret }) => viewSecret(admin, "siem")),
    entry: ["audit_destination.secret_viewed", "audit_destination siem", {}]
  },
  {
    does: "rotating a destination's secret",
    change: Effect.flatMap(DestinationSettings, ({ rotateSecret }) => rotateSecret(admin, "siem", {})),
    entry: ["audit_destination.secret_rotated", "audit_destination siem", {}]
  },
  {
    does: "removing a destination's secret",
    change: Effect.flatMap(DestinationSettings, ({ removeSecret }) => removeSecret(admin, "siem")),
    entry: ["audit_destination.secret_removed", "audit_destination siem", {}]
  },
  {
    does: "making an access token",
    change: issued,
    entry: ["user.api_token_created", "api_token", { name: made("CI") }]
  },
  {
    does: "viewing an access token",
    after: issued,
    change: Effect.gen(function* () {
      const { list, view } = yield* TokenSettings
      const page = yield* list(admin, 1)
      return yield* view(admin, page.items[0]!.token.id)
    }),
    entry: ["user.api_token_viewed", "api_token", {}]
  },
  {
    does: "renaming an access token",
    after: issued,
    change: Effect.gen(function* () {
      const { list, rename } = yield* TokenSettings
      const page = yield* list(admin, 1)
      return yield* rename(admin, page.items[0]!.token.id, { name: "CD" })
    }),
    entry: ["user.api_token_renamed", "api_token", { name: { from: "CI", to: "CD" } }]
  },
  {
    does: "revoking an access token",
    after: issued,
    change: Effect.gen(function* () {
      const { list, revoke } = yield* TokenSettings
      const page = yield* list(admin, 1)
      return yield* revoke(admin, page.items[0]!.token.id)
    }),
    entry: ["user.api_token_deleted", "api_token", { name: gone("CI") }]
  },
  {
    does: "inviting a user",
    change: invited,
    entry: [
      "user.invited",
      "user 32",
      {
        email: made("g@acme.test"),
        name: made("Grace"),
        role: made("member"),
        notifications: made({
          notify_first_view: "Enabled",
          notify_all_recordings: "Enabled",
          notify_own_recordings: "Enabled"
        }),
        notify_failed_deliveries: made("Enabled")
      }
    ]
  },
  {
    does: "changing a user",
    change: Effect.flatMap(UserSettings, ({ update }) => update(admin, "12", { name: "Robert" })),
    entry: ["user.updated", "user 12", { name: { from: "Bob", to: "Robert" } }]
  },
  {
    does: "changing a role",
    change: Effect.flatMap(UserSettings, ({ update }) => update(admin, "12", { role: "admin" })),
    entry: ["user.role_changed", "user 12", { role: { from: "member", to: "admin" } }]
  },
  {
    does: "deactivating a user",
    change: Effect.flatMap(UserSettings, ({ deactivate }) => deactivate(admin, "12")),
    entry: ["user.deactivated", "user 12", { active: { from: true, to: false } }]
  },
  {
    does: "reactivating a user",
    after: Effect.flatMap(UserSettings, ({ deactivate }) => deactivate(admin, "12")),
    change: Effect.flatMap(UserSettings, ({ reactivate }) => reactivate(admin, "12")),
    entry: ["user.reactivated", "user 12", { active: { from: false, to: true } }]
  },
  {
    does: "renaming the account",
    change: Effect.flatMap(AccountSettings, ({ update }) => update(admin, { name: "Acme Inc." })),
    entry: ["account.updated", "account 1", { name: { from: "Acme", to: "Acme Inc." } }]
  },
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
    change: Effect.flatMap(Redeliveries, ({ start }) => start(admin, { rate: 5 })),
    entry: ["redelivery.started", "redelivery ", { limit: { from: null, to: 1_000 }, rate: { from: null, to: 5 } }]
  },
  {
    does: "a redelivery is stopped",
    after: Effect.flatMap(Redeliveries, ({ start }) => start(admin, {})),
    change: Effect.gen(function* () {
      const { list, stop } = yield* Redeliveries
      const [running] = yield* list(admin)
      return yield* stop(admin, running!.id)
    }),
    entry: ["redelivery.stopped", "redelivery ", { redelivered: { from: null, to: 0 } }]
  }
]
