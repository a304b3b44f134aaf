import * as Schema from "effect/Schema"
import { TokenId, UserId } from "../ids.ts"
import { Instant } from "../time.ts"

/** `access`: made in the personal settings, for the API. `session`: a signed-in user's, for the settings API. */
export const TokenKind = Schema.Literals(["access", "session"])
export type TokenKind = typeof TokenKind.Type

export const AccessToken = Schema.Struct({
  id: TokenId,
  userId: UserId,
  name: Schema.String,
  kind: TokenKind,
  /** The keyed hash that a presented token is found by. */
  hash: Schema.String,
  /** The token's text, encrypted, since it can be viewed again. */
  sealed: Schema.String,
  createdAt: Instant,
  revokedAt: Schema.NullOr(Instant),
  /** Give or take a minute; null: it was not used. */
  lastUsedAt: Schema.NullOr(Instant)
})
export type AccessToken = typeof AccessToken.Type
