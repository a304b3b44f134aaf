import * as Schema from "effect/Schema"
import { AccountId, RecordingUuid, UserId } from "../ids.ts"
import { Instant } from "../time.ts"

/**
 * Who may open a recording's public page, besides those who see the recording itself: every person, the account's members, or none.
 * A share link opens it in each case.
 */
export const Sharing = Schema.Literals(["public", "account", "off"])
export type Sharing = typeof Sharing.Type

/** The sharing of a recording, or of an account's new recordings: public where none was set. */
export const sharingOf = ({ sharing }: { readonly sharing?: Sharing }): Sharing => sharing ?? "public"

/** A link that opens a recording until it expires or is revoked, which removes it. */
export const ShareLink = Schema.Struct({
  id: Schema.String,
  accountId: AccountId,
  recordingUuid: RecordingUuid,
  createdBy: UserId,
  /** Keyed hash of its token. */
  hash: Schema.String,
  /** Its token and the hash of its password, sealed. */
  sealed: Schema.String,
  createdAt: Instant,
  /** Null: it does not expire. */
  expiresAt: Schema.NullOr(Instant)
})
export type ShareLink = typeof ShareLink.Type
