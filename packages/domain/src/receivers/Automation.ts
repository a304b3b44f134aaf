import * as Schema from "effect/Schema"
import type { SkipReason } from "../delivery/Delivery.ts"
import { folderSchedule } from "../delivery/schedule.ts"
import { AccountId, AutomationId, FolderId } from "../ids.ts"
import { normalizedTicketId, Platform } from "../recordings/helpdesk.ts"
import { type Recording, RecordingType } from "../recordings/Recording.ts"
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

/** Maximum time of an attempt for an automation, in milliseconds. */
export const AUTOMATION_TIMEOUT_MS = 30_000

/** Condition on the recordings that an automation sends. An empty list lets all through. */
export const AutomationCondition = Schema.Struct({
  platforms: Schema.Array(Platform),
  types: Schema.Array(RecordingType),
  hasTicket: Schema.Boolean
})
export type AutomationCondition = typeof AutomationCondition.Type

export const noCondition: AutomationCondition = { platforms: [], types: [], hasTicket: false }

/** Returns the part of the condition that does not hold for the recording; undefined if all hold. */
export const unmetCondition = (
  { hasTicket, platforms, types }: AutomationCondition,
  { helpdesk, type }: Pick<Recording, "helpdesk" | "type">
): SkipReason | undefined => {
  if (platforms.length > 0 && !platforms.includes(helpdesk.platform)) return "platform"
  if (types.length > 0 && !types.includes(type)) return "type"
  return hasTicket && normalizedTicketId(helpdesk) === null ? "no_ticket" : undefined
}

/** A webhook that fires for each recording that is added to its folder. */
export const Automation = Schema.Struct({
  id: AutomationId,
  accountId: AccountId,
  folderId: FolderId,
  /** URL of the receiver, which can have variables (`parseUrlTemplate`). */
  url: Schema.String,
  method: WebhookMethod,
  headers: Schema.Record(Schema.String, Schema.String),
  /** Secret that signs each delivery. */
  secret: Schema.String,
  /** Old secrets that still sign deliveries during the overlap of a rotation, newest first. */
  previousSecrets: Schema.Array(PreviousSecret),
  /** Text of the payload template; null for the default payload. */
  payloadTemplate: Schema.NullOr(Schema.String),
  /** Recordings for which the condition does not hold make skipped deliveries; absent for none. */
  only: Schema.optionalKey(AutomationCondition),
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
  timeoutMs: AUTOMATION_TIMEOUT_MS,
  secret,
  previousSecrets,
  scheme: { header: null, encoding: "sha256=hex" },
  schedule: folderSchedule,
  enabled
})
