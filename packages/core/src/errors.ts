import { Schema } from "effect"

/** The access token is missing, unknown, revoked, or its user is deactivated. Which of these is not told (R19). */
export class Unauthenticated extends Schema.TaggedError<Unauthenticated>()("Unauthenticated", {}) {
  override get message() {
    return "Access token is missing, invalid or deactivated"
  }
}

/** The account's plan does not include the API (General rules, 1). */
export class ApiAccessDisabled extends Schema.TaggedError<ApiAccessDisabled>()("ApiAccessDisabled", {}) {
  override get message() {
    return "API access is not enabled for this account"
  }
}

/** The caller's role does not allow the operation. */
export class Forbidden extends Schema.TaggedError<Forbidden>()("Forbidden", { operation: Schema.String }) {
  override get message() {
    return "This operation is for admins only"
  }
}

/** No record matches; what the caller may not see does not exist either (R4). */
export class NotFound extends Schema.TaggedError<NotFound>()("NotFound", { what: Schema.String }) {
  override get message() {
    return `${this.what} not found`
  }
}

/** The recording has no video file yet (409). */
export class VideoNotReady extends Schema.TaggedError<VideoNotReady>()("VideoNotReady", {}) {
  override get message() {
    return "The video file is not available yet"
  }
}

/** The token made more requests than the configured limit allows (R18). */
export class RateLimited extends Schema.TaggedError<RateLimited>()("RateLimited", { retryAfterMs: Schema.Int }) {
  override get message() {
    return "Too many requests"
  }
}
