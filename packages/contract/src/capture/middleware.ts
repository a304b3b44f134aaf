import { HttpApiMiddleware } from "effect/http-api"
import { errorV2 } from "../errors.ts"
import { refusals } from "../refusals.ts"

/** Errors that any request to the capture API can get. */
export class CaptureLimits extends HttpApiMiddleware.Service<CaptureLimits>()(
  "@tapedeck/contract/capture/CaptureLimits",
  {
    error: [
      errorV2("BadRequest", "A query parameter or a key of the body is unknown, or the body is not a JSON object."),
      errorV2("MethodNotAllowed", refusals.methodNotAllowed),
      errorV2("PayloadTooLarge", "The body is larger than the limit of this path."),
      errorV2("UriTooLong", refusals.uriTooLong),
      errorV2("ServiceUnavailable", refusals.serviceUnavailable),
      errorV2("Internal", refusals.internal),
      errorV2("InsufficientStorage", refusals.storageFull)
    ]
  }
) {}

/** Authenticates by `Authorization: Capture …`, with the token of the capture in the path. */
export class CaptureToken extends HttpApiMiddleware.Service<CaptureToken>()("@tapedeck/contract/capture/CaptureToken", {
  requiredForClient: true,
  error: errorV2(
    "Unauthenticated",
    "The capture token is missing, invalid or expired, or belongs to another capture; or the capture has ended."
  )
}) {}
