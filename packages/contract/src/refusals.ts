/** What an answer outside an endpoint's own business means; the same words in both versions. */
export const refusals = {
  unauthenticated: "The access token is missing, invalid or deactivated.",
  apiAccess: "API access is not enabled for the account.",
  adminOnly: "The caller is not an admin, or API access is not enabled for the account.",
  methodNotAllowed: "The path exists, for the methods named by `Allow` only.",
  uriTooLong: "The request target is longer than 8,192 bytes.",
  payloadTooLarge: "The body is larger than 1 MiB.",
  tooManyRequests: "The token has no requests left; `Retry-After` contains the time until the next window.",
  serviceUnavailable:
    "The bodies of all requests in progress are together larger than 128 MiB, or all answers that clients have not read yet " +
    "larger than 64 MiB; or concurrent requests changed the same records each time that this one was tried. `Retry-After` contains the " +
    "time until a retry.",
  storageFull: "There is no storage space for the request; nothing was stored. Reads still work.",
  internal: "Something failed on our side. The log has the cause, under the answer's `X-Request-Id`."
} as const
