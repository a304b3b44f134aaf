import * as Schema from "effect/Schema"
import { SessionId, UserId } from "../ids.ts"
import { Instant } from "../time.ts"

/** Method of a sign-in: with a password, with an OpenID Connect provider, or with the link that set the password. */
export const SignInMethod = Schema.Literals(["password", "oidc", "link"])
export type SignInMethod = typeof SignInMethod.Type

/** A session of a user in one browser. The cookie's value is stored only as a keyed hash. */
export const Session = Schema.Struct({
  id: SessionId,
  userId: UserId,
  hash: Schema.String,
  method: SignInMethod,
  createdAt: Instant,
  /** Time of the last use, accurate to a minute. */
  seenAt: Instant,
  /** Expiry of the session, unless it is used again before. */
  expiresAt: Instant,
  /** IP address of the browser that signed in. */
  ipAddress: Schema.NullOr(Schema.String),
  userAgent: Schema.NullOr(Schema.String)
})
export type Session = typeof Session.Type

/** Password of a user, as a slow hash with its parameters, encrypted. */
export const Password = Schema.Struct({
  userId: UserId,
  sealed: Schema.String,
  changedAt: Instant
})
export type Password = typeof Password.Type

/**
 * The purpose of a one-time link: the first admin of a new server, an invitation, a forgotten password, or a sign-in without a
 * password (the demo).
 */
export const LinkPurpose = Schema.Literals(["setup", "invitation", "password", "sign_in"])
export type LinkPurpose = typeof LinkPurpose.Type

/** A link that sets a password, once. Its token is stored only as a keyed hash. */
export const SignInLink = Schema.Struct({
  hash: Schema.String,
  /** User of the link; null for the first admin, who does not exist yet. */
  userId: Schema.NullOr(UserId),
  purpose: LinkPurpose,
  createdAt: Instant,
  expiresAt: Instant
})
export type SignInLink = typeof SignInLink.Type

/** Number of tries in a period that starts with the first try. */
export const TryWindow = Schema.Struct({
  /** Keyed hash of the counted subject, which may be an e-mail address. */
  key: Schema.String,
  tries: Schema.Natural,
  endsAt: Instant
})
export type TryWindow = typeof TryWindow.Type
