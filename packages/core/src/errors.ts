import { Problem } from "@tapedeck/domain/input"
import { Schema } from "effect"

/** The access token is missing, unknown, revoked, or its user is deactivated. The error does not say which (R19). */
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

/** No record matches. A record that the caller may not see does not exist for the caller either (R4). */
export class NotFound extends Schema.TaggedError<NotFound>()("NotFound", { what: Schema.String }) {
  override get message() {
    return `${this.what} not found`
  }
}

/** The operation requires a session, so that a leaked token cannot create further tokens (S1). */
export class SessionRequired extends Schema.TaggedError<SessionRequired>()("SessionRequired", {
  operation: Schema.String
}) {
  override get message() {
    return "This takes a signed-in session, not an access token"
  }
}

/** A change that changes nothing that can be changed (400). */
export class InputMalformed extends Schema.TaggedError<InputMalformed>()("InputMalformed", { reason: Schema.String }) {
  override get message() {
    return this.reason
  }
}

/** A browser sent it for another site's page: what is signed in there does not count for that. */
export class CrossSite extends Schema.TaggedError<CrossSite>()("CrossSite", {}) {
  override get message() {
    return "The request was made by a page of another site, or does not say by which"
  }
}

/** The present state of the record does not permit the operation (409). */
export class StateConflict extends Schema.TaggedError<StateConflict>()("StateConflict", { reason: Schema.String }) {
  override get message() {
    return this.reason
  }
}

/** Another request with the same `Idempotency-Key` has not ended yet (409). */
export class KeyInFlight extends Schema.TaggedError<KeyInFlight>()("KeyInFlight", {}) {
  override get message() {
    return "A request with this Idempotency-Key is in progress: repeat this one when it has ended"
  }
}

/** The `Idempotency-Key` came with another path or body before (422). */
export class KeyReused extends Schema.TaggedError<KeyReused>()("KeyReused", {}) {
  override get message() {
    return "The Idempotency-Key was used for another request: use a new key for each request"
  }
}

/** All values that are not allowed (422), each with the path of its field; without the values, which may be secrets. */
export class InputInvalid extends Schema.TaggedError<InputInvalid>()("InputInvalid", {
  problems: Schema.Array(Problem)
}) {
  override get message() {
    return this.problems.map(({ message, path }) => `${path} ${message}`).join("; ")
  }
}

/** The body is larger than what an upload may be (413). */
export class UploadTooLarge extends Schema.TaggedError<UploadTooLarge>()("UploadTooLarge", { limitBytes: Schema.Int }) {
  override get message() {
    return `The file is larger than ${this.limitBytes} bytes`
  }
}

/** The uploaded file is not a video (422). */
export class NotAVideo extends Schema.TaggedError<NotAVideo>()("NotAVideo", {}) {
  override get message() {
    return "The file is no video: it begins like none of the known formats (MP4, WebM, QuickTime and others)"
  }
}

/** The uploaded profile picture is not a picture (422). */
export class NotAPicture extends Schema.TaggedError<NotAPicture>()("NotAPicture", {}) {
  override get message() {
    return "The file is no PNG and no JPEG"
  }
}

const uploads = { capture: "The video of a capture of this duration", upload: "A video" }

/** More requests for a video than it may be sent in (413). */
export class TooManyPieces extends Schema.TaggedError<TooManyPieces>()("TooManyPieces", {
  limit: Schema.Int,
  of: Schema.Literals(["capture", "upload"])
}) {
  override get message() {
    return `${uploads[this.of]} may be sent in at most ${this.limit} pieces: send more bytes with each request`
  }
}

/** The disk has no space left for a write (507), of which nothing was kept. Stores die with it. `path` is for the log only. */
export class StorageFull extends Schema.TaggedError<StorageFull>()("StorageFull", { path: Schema.String }) {
  override get message() {
    return "There is not enough storage space left"
  }
}

/**
 * Concurrent transactions conflicted with this one until its last try (503), of which nothing was kept. Stores die with it. `tries` is
 * for the log only.
 */
export class StoreBusy extends Schema.TaggedError<StoreBusy>()("StoreBusy", { tries: Schema.Int }) {
  override get message() {
    return "The database is busy: try again in a second"
  }
}

/**
 * The database cannot be reached, or did not respond in time (503). A change of which the commit was not answered may be kept.
 */
export class StoreUnavailable extends Schema.TaggedError<StoreUnavailable>()("StoreUnavailable", {
  cause: Schema.Defect()
}) {
  override get message() {
    return "The database does not respond: try again in a few seconds"
  }
}

/** The list of changes cannot continue from this place (410): the caller reads the whole list again. */
export class ChangesForgotten extends Schema.TaggedError<ChangesForgotten>()("ChangesForgotten", {}) {
  override get message() {
    return (
      "updated_since is too old, or of another database, user or role: read the whole list again with an empty " +
      "updated_since, and delete the recordings that are not in it"
    )
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
