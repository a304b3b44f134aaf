import * as Schema from "effect/Schema"
import { SessionId, UserId } from "./ids.ts"
import { Instant } from "./time.ts"

/** How somebody signed in: with a password, by an OpenID Connect provider, or by the link with which they set a password. */
export const SignInMethod = Schema.Literals(["password", "oidc", "link"])
export type SignInMethod = typeof SignInMethod.Type

/** Somebody is signed in, in one browser (S1). What the browser sends is kept as a keyed hash alone. */
export const Session = Schema.Struct({
  id: SessionId,
  userId: UserId,
  hash: Schema.String,
  method: SignInMethod,
  createdAt: Instant,
  /** When it was last used, give or take a minute. */
  seenAt: Instant,
  /** Unless it is used again before. */
  expiresAt: Instant,
  /** Of the browser that signed in. */
  ipAddress: Schema.NullOr(Schema.String),
  userAgent: Schema.NullOr(Schema.String)
})
export type Session = typeof Session.Type

/** What a user's password is checked against: a slow hash with its parameters, encrypted (S3). */
export const Password = Schema.Struct({
  userId: UserId,
  sealed: Schema.String,
  changedAt: Instant
})
export type Password = typeof Password.Type

/** What a one-time link is for: the first admin of a new server, somebody who was invited, or a forgotten password. */
export const LinkPurpose = Schema.Literals(["setup", "invitation", "password"])
export type LinkPurpose = typeof LinkPurpose.Type

/** A link that sets a password, once. What is in it is kept as a keyed hash alone. */
export const SignInLink = Schema.Struct({
  hash: Schema.String,
  /** Whose password; null where there is nobody yet. */
  userId: Schema.NullOr(UserId),
  purpose: LinkPurpose,
  createdAt: Instant,
  expiresAt: Instant
})
export type SignInLink = typeof SignInLink.Type

/** How often something was tried in a stretch of time that began with the first try. */
export const TryWindow = Schema.Struct({
  /** What is counted, as a keyed hash: it may be somebody's e-mail address. */
  key: Schema.String,
  tries: Schema.Natural,
  endsAt: Instant
})
export type TryWindow = typeof TryWindow.Type
