/** Descriptions of errors that any endpoint can return, the same in both versions. */
export const refusals = {
  unauthenticated: "The access token is missing, invalid or deactivated.",
  apiAccess: "API access is not enabled for the account.",
  adminOnly: "The caller is not an admin, or API access is not enabled for the account.",
  methodNotAllowed: "The path does not support this method. `Allow` lists the methods that it supports.",
  uriTooLong: "The request target is longer than 8,192 bytes.",
  payloadTooLarge: "The body is larger than 1 MiB.",
  tooManyRequests: "The rate limit of the token is reached. `Retry-After` contains the time until the next window.",
  serviceUnavailable:
    "The server is overloaded: the bodies of all requests in progress exceed 128 MiB, the responses that clients have not read yet " +
    "exceed 64 MiB, or concurrent requests changed the same records at each try. `Retry-After` contains the time until a retry.",
  storageFull: "The server is out of storage space. Nothing was stored. Reads still work.",
  internal: "Internal error. The server's log has the cause, under the `X-Request-Id` of the response."
} as const
