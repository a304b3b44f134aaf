import * as Schema from "effect/Schema"
import { AccountId, FolderId, UserId } from "../ids.ts"
import { Helpdesk } from "../recordings/helpdesk.ts"
import { Instant } from "../time.ts"

/** Use of a source in recordings: never, by the customer's choice, or always. */
export const SourceUse = Schema.Literals(["off", "optional", "required"])
export type SourceUse = typeof SourceUse.Type

export const CaptureSources = Schema.Struct({
  screen: SourceUse,
  microphone: SourceUse,
  camera: SourceUse,
  logs: SourceUse
})
export type CaptureSources = typeof CaptureSources.Type

export const defaultSources: CaptureSources = {
  screen: "required",
  microphone: "optional",
  camera: "optional",
  logs: "optional"
}

/** A link with which a customer without an account makes recordings. Its token is stored encrypted, with a keyed hash for look-ups. */
export const CaptureLink = Schema.Struct({
  id: Schema.String,
  accountId: AccountId,
  createdBy: UserId,
  createdAt: Instant,
  tokenHash: Schema.String,
  sealedToken: Schema.String,
  title: Schema.NullOr(Schema.String),
  message: Schema.NullOr(Schema.String),
  helpdesk: Helpdesk,
  customerEmail: Schema.NullOr(Schema.String),
  folderId: Schema.NullOr(FolderId),
  siteId: Schema.NullOr(Schema.String),
  sources: CaptureSources,
  /** Maximum number of uses; null for no limit. */
  maxUses: Schema.NullOr(Schema.Natural),
  maxDurationSeconds: Schema.Natural,
  expiresAt: Instant,
  redirectUrl: Schema.NullOr(Schema.String),
  /** Number of open and finished captures. */
  uses: Schema.Natural,
  revokedAt: Schema.NullOr(Instant)
})
export type CaptureLink = typeof CaptureLink.Type

export type LinkState = "active" | "used_up" | "expired" | "revoked"

/** Returns the state of a link at an instant. Revoked precedes expired, which precedes used up. A link is revoked while its creator is deactivated, too. */
export const linkStateAt = (
  link: CaptureLink,
  creator: { readonly active: boolean } | undefined,
  now: Instant
): LinkState => {
  if (link.revokedAt !== null || creator?.active !== true) return "revoked"
  if (link.expiresAt <= now) return "expired"
  return link.maxUses !== null && link.uses >= link.maxUses ? "used_up" : "active"
}
