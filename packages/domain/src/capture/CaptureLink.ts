import * as Schema from "effect/Schema"
import { AccountId, FolderId, UserId } from "../ids.ts"
import { Helpdesk } from "../recordings/helpdesk.ts"
import { Instant } from "../time.ts"

/** Whether a source may, or must, be recorded. */
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

/** A link by which a customer without an account makes recordings. Its token is found by a keyed hash, and kept encrypted. */
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
  /** Null: no limit. */
  maxUses: Schema.NullOr(Schema.Natural),
  maxDurationSeconds: Schema.Natural,
  expiresAt: Instant,
  redirectUrl: Schema.NullOr(Schema.String),
  /** Open and finished captures. */
  uses: Schema.Natural,
  revokedAt: Schema.NullOr(Instant)
})
export type CaptureLink = typeof CaptureLink.Type

export type LinkState = "active" | "used_up" | "expired" | "revoked"

/** Revoked before expired before used up. A link is revoked as long as its creator is deactivated, too. */
export const linkStateAt = (
  link: CaptureLink,
  creator: { readonly active: boolean } | undefined,
  now: Instant
): LinkState => {
  if (link.revokedAt !== null || creator?.active !== true) return "revoked"
  if (link.expiresAt <= now) return "expired"
  return link.maxUses !== null && link.uses >= link.maxUses ? "used_up" : "active"
}
