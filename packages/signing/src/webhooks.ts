import { digestSync } from "#hmac"
import { SigningError } from "./errors.ts"
import { keyOf, type Secret } from "./secrets.ts"

/** How an audit destination writes the digest (A1). */
export type AuditEncoding = "hex" | "sha256=hex" | "base64"

/** `X-<Vendor>-Signature`, the header of folder webhooks; the word is the one the sender uses for itself (N2). */
export const folderSignatureHeader = (vendor: string): string => {
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(vendor)) {
    throw new SigningError("option_invalid", { option: "vendor", expected: "a word that a header name can hold" })
  }
  return `X-${vendor}-Signature`
}

/** The value of a folder webhook's signature header: `sha256=` and 64 lower-case hex digits (W1). */
export const signFolderWebhook = (options: { readonly body: Uint8Array; readonly secret: Secret }): string =>
  `sha256=${digestSync(keyOf(options.secret, "text"), "", options.body, "hex")}`

/** The value of an audit webhook's `X-Webhook-Signature` (A1). */
export const signAuditWebhook = (options: {
  readonly body: Uint8Array
  readonly secret: Secret
  readonly encoding: AuditEncoding
}): string => {
  const key = keyOf(options.secret, "text")
  switch (options.encoding) {
    case "hex":
      return digestSync(key, "", options.body, "hex")
    case "sha256=hex":
      return `sha256=${digestSync(key, "", options.body, "hex")}`
    case "base64":
      return digestSync(key, "", options.body, "base64")
    default:
      throw new SigningError("option_invalid", { option: "encoding", expected: "hex, sha256=hex or base64" })
  }
}

/**
 * One entry of `webhook-signature`: `v1,` and base64, over `id.timestamp.body` (W2). `timestamp` is unix time in whole
 * seconds. An id may not hold a full stop: `a.1` at `2` and `a` at `1` with a body of `2.…` would share a signature.
 */
export const signStandardWebhook = (options: {
  readonly id: string
  readonly timestamp: number
  readonly body: Uint8Array
  readonly secret: Secret
}): string => {
  if (!/^[!-\-/-~]+$/.test(options.id)) {
    throw new SigningError("option_invalid", { option: "id", expected: "visible ASCII characters without a full stop" })
  }
  if (!Number.isSafeInteger(options.timestamp) || options.timestamp < 0) {
    throw new SigningError("option_invalid", { option: "timestamp", expected: "unix time in whole seconds" })
  }
  const key = keyOf(options.secret, "whsec")
  return `v1,${digestSync(key, `${options.id}.${options.timestamp}.`, options.body, "base64")}`
}
