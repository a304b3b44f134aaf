import * as Schema from "effect/Schema"
import { TokenId, UserId } from "../ids.ts"
import { Instant } from "../time.ts"

/** Kind of a token. `access`: created in the personal settings, for the API. `session`: of a signed-in user, for the settings API. */
export const TokenKind = Schema.Literals(["access", "session"])
export type TokenKind = typeof TokenKind.Type

export const AccessToken = Schema.Struct({
  id: TokenId,
  userId: UserId,
  name: Schema.String,
  kind: TokenKind,
  /** Keyed hash, by which the token of a request is looked up. */
  hash: Schema.String,
  /** Encrypted text of the token, which its user can view again. */
  sealed: Schema.String,
  createdAt: Instant,
  revokedAt: Schema.NullOr(Instant),
  /** Time of the last use, accurate to a minute; null if the token was never used. */
  lastUsedAt: Schema.NullOr(Instant)
})
export type AccessToken = typeof AccessToken.Type
