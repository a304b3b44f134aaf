import * as Schema from "effect/Schema"
import { folderSchedule } from "../delivery/schedule.ts"
import { AccountId, AutomationId, FolderId } from "../ids.ts"
import { Instant } from "../time.ts"
import type { Receiver } from "./Receiver.ts"
import { PreviousSecret } from "./webhookSecret.ts"

export const Folder = Schema.Struct({
  id: FolderId,
  accountId: AccountId,
  name: Schema.String,
  createdAt: Instant
})
export type Folder = typeof Folder.Type

export const WebhookMethod = Schema.Literals(["POST", "PUT", "PATCH", "DELETE"])
export type WebhookMethod = typeof WebhookMethod.Type

/** The event that fires a folder's automations. */
export const FOLDER_EVENT = "recording.added_to_folder"

/** An attempt of a folder delivery succeeds within this time or fails. */
const timeoutMs = 30_000

/** A webhook that fires for every recording that is added to its folder. */
export const Automation = Schema.Struct({
  id: AutomationId,
  accountId: AccountId,
  folderId: FolderId,
  url: Schema.String,
  method: WebhookMethod,
  headers: Schema.Record(Schema.String, Schema.String),
  /** Signs every delivery. */
  secret: Schema.String,
  /** Sign along for the overlap of a rotation, newest first. */
  previousSecrets: Schema.Array(PreviousSecret),
  /** The text of a payload template; null: the default payload. */
  payloadTemplate: Schema.NullOr(Schema.String),
  enabled: Schema.Boolean,
  createdAt: Instant
})
export type Automation = typeof Automation.Type

export const receiverOfAutomation = ({
  enabled,
  headers,
  method,
  previousSecrets,
  secret,
  url
}: Automation): Receiver => ({
  url,
  method,
  headers,
  timeoutMs,
  secret,
  previousSecrets,
  scheme: { header: null, encoding: "sha256=hex" },
  schedule: folderSchedule,
  enabled
})
