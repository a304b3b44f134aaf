import { Schema } from "effect"

/** The address or the password is wrong, or this way of signing in is off. The error does not show which. */
export class SignInRefused extends Schema.TaggedError<SignInRefused>()("SignInRefused", {}) {
  override get message() {
    return "The e-mail address or the password is wrong"
  }
}

/** Too many tries, or too many at a time (429). */
export class SignInThrottled extends Schema.TaggedError<SignInThrottled>()("SignInThrottled", {
  retryAfterMs: Schema.Int
}) {
  override get message() {
    return "Too many tries to sign in: wait, and try again"
  }
}

/** The link is unknown, was used, was replaced by a later one, or has expired. The error does not say which. */
export class LinkRefused extends Schema.TaggedError<LinkRefused>()("LinkRefused", {}) {
  override get message() {
    return "The link is no longer good: it was used, has expired, or a newer one took its place"
  }
}
