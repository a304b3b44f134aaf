import type { ApiVersion } from "../errors.ts"

const messages: Readonly<Record<number, string>> = {
  400: "page must be an integer of at least 1",
  401: "Access token is missing, invalid or deactivated",
  403: "API access is not enabled for this account",
  404: "Recording not found",
  405: "This path allows GET, HEAD only",
  409: "The video file is not available yet",
  410: "This link has expired",
  413: "The body is larger than 1 MiB",
  414: "The request target is longer than 8192 bytes",
  415: "The body must be application/json",
  416: "The range starts past the end of the file",
  422: "title must not be blank",
  429: "Too many requests",
  500: "Internal server error",
  503: "The server holds as many request bodies as it has memory for",
  507: "There is not enough storage space left"
}

/** Returns an example of an error body with a status, in the shape of a version; undefined if the status is not an error. */
export const errorExample = (version: ApiVersion, status: number): unknown => {
  const message = messages[status]
  if (message === undefined) return undefined
  return version === "v2" ? { error: message } : { error: { message, code: status } }
}
