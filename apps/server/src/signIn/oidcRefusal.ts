/** Data of an OAuth client's error: OAuth's `error`, the HTTP status of the response, and the client's own code. */
interface OAuthError {
  readonly name?: string
  readonly error?: unknown
  readonly status?: unknown
  readonly code?: unknown
}

/** OAuth's errors that are not about the user: the provider failed (RFC 6749 §4.1.2.1), or does not know this server (§5.2). */
const providerErrors: ReadonlySet<unknown> = new Set([
  "server_error",
  "temporarily_unavailable",
  "invalid_client",
  "unauthorized_client"
])

/** Codes of responses that were read and cannot be trusted. */
const untrustedCodes: ReadonlySet<unknown> = new Set([
  "OAUTH_INVALID_RESPONSE",
  "OAUTH_JWT_CLAIM_COMPARISON_FAILED",
  "OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED",
  "OAUTH_JWT_TIMESTAMP_CHECK_FAILED",
  "OAUTH_KEY_SELECTION_FAILED",
  "OAUTH_MISSING_SERVER_METADATA",
  "OAUTH_UNSUPPORTED_OPERATION"
])

/** Returns whether the provider refused the user, or its response cannot be trusted. Anything else is a failure of the provider. */
export const isRefusal = (thrown: unknown): boolean => {
  const { code, error, name, status } = (thrown ?? {}) as OAuthError
  switch (name) {
    case "AuthorizationResponseError":
      return !providerErrors.has(error)
    case "ResponseBodyError":
      return status === 400 && !providerErrors.has(error)
    default:
      return untrustedCodes.has(code)
  }
}
