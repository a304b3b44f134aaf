import * as Schema from "effect/Schema"
import { AccountId, RecordingUuid, UserId } from "../ids.ts"
import { Instant } from "../time.ts"

/**
 * Access to a recording's public page for people who cannot see the recording itself: every person, the members of the account, or
 * none. Share links always open it.
 */
export const Sharing = Schema.Literals(["public", "account", "off"])
export type Sharing = typeof Sharing.Type

/** Returns the sharing of a recording, or of an account's new recordings. Default: `public`. */
export const sharingOf = ({ sharing }: { readonly sharing?: Sharing }): Sharing => sharing ?? "public"

/** A link that opens a recording until it expires or is revoked. Revoking removes it. */
export const ShareLink = Schema.Struct({
  id: Schema.String,
  accountId: AccountId,
  recordingUuid: RecordingUuid,
  createdBy: UserId,
  /** Keyed hash of the link's token. */
  hash: Schema.String,
  /** Encrypted token of the link and hash of its password. */
  sealed: Schema.String,
  createdAt: Instant,
  /** Expiry of the link; null if it does not expire. */
  expiresAt: Schema.NullOr(Instant)
})
export type ShareLink = typeof ShareLink.Type
