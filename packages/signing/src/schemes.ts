import { base64Digest, hexDigest } from "./digests.ts"
import { SigningError } from "./errors.ts"
import { type HeadersLike, hasHeader, missing, requiredHeader } from "./headers.ts"
import type { KeyRule } from "./secrets.ts"

/** Signature scheme of a delivery: of Standard Webhooks, of folder automations, or of audit destinations. */
export type Scheme = "standard" | "folder" | "audit"

/** Encoding of the digest of an audit destination. */
export type AuditEncoding = "hex" | "sha256=hex" | "base64"

/** Default name of the vendor. */
export const defaultVendor = "Tapedeck"

export const signatureHeader = "webhook-signature"
export const idHeader = "webhook-id"
export const timestampHeader = "webhook-timestamp"
export const auditHeader = "X-Webhook-Signature"

/** GitHub's name of the signature header of folder webhooks. */
const githubHeader = "x-hub-signature-256"

/** Returns the prefix of the Standard Webhooks headers. Svix has its own prefix; the two are never mixed. */
const standardPrefix = (headers: HeadersLike) =>
  !hasHeader(headers, signatureHeader) && hasHeader(headers, "svix-signature") ? "svix" : "webhook"

/** Returns the name of the signature header of folder webhooks, `X-<Vendor>-Signature`, with the sender's name of the vendor. */
export const folderSignatureHeader = (vendor: string): string => {
  if (typeof vendor !== "string" || !/^[\w!#$%&'*+.^`|~-]+$/.test(vendor)) {
    throw new SigningError("option_invalid", { option: "vendor", expected: "a word that a header name can hold" })
  }
  return `X-${vendor}-Signature`
}

/** Content of the signature headers: the digests of the sender, and the text that precedes the body in the signed content. */
export interface Claim {
  readonly scheme: Scheme
  readonly header: string
  readonly rule: KeyRule
  readonly prefix: string
  readonly digests: ReadonlyArray<Uint8Array<ArrayBuffer>>
  readonly id: string
  readonly timestamp: number
  readonly encoding: AuditEncoding
}

const unstamped = { rule: "text", prefix: "", id: "", timestamp: 0 } as const

const malformed = (header: string, expected: string) => new SigningError("header_malformed", { header, expected })

/** Returns whether a text is a valid `webhook-id`. With full stops, `a.1` at `2` and `a` at `1` with the body `2.…` would have the same signature. */
export const isWebhookId = (id: string): boolean => /^[!-\-/-~]+$/.test(id)

/** Returns whether a text is a Unix time in seconds, without a sign and leading zeros. */
const isTimestamp = (text: string) => /^(?:0|[1-9]\d{0,14})$/.test(text)

/** Maximum number of entries, because a receiver computes each of them. Senders use two during a rotation. */
const maxEntries = 16

const standardDigests = (headers: HeadersLike, name: string): ReadonlyArray<Uint8Array<ArrayBuffer>> => {
  const value = requiredHeader(headers, name, " ")
  // What nearly every delivery has: one entry.
  const only = value.startsWith("v1,") ? base64Digest(value.slice(3)) : undefined
  if (only !== undefined) return [only]
  // Several headers of one name arrive joined by a comma and a space from some servers.
  const entries = value.split(/,? +/)
  const ours = entries.filter((entry) => entry.startsWith("v1,"))
  if (ours.length > maxEntries) throw malformed(name, `at most ${maxEntries} v1 entries`)
  const digests = ours.flatMap((entry) => base64Digest(entry.slice(3)) ?? [])
  if (digests.length > 0) return digests
  const versions = entries.map((entry) => /^(v\w{1,8}),/.exec(entry)?.[1])
  if (versions.includes(undefined) || versions.includes("v1")) {
    throw malformed(name, "v1, and 44 characters of base64")
  }
  throw new SigningError("signature_version_unknown", {
    header: name,
    versions: [...new Set(versions as Array<string>)].slice(0, maxEntries)
  })
}

const readStandard = (headers: HeadersLike): Claim => {
  const prefix = standardPrefix(headers)
  const header = `${prefix}-signature`
  const digests = standardDigests(headers, header)
  const id = requiredHeader(headers, `${prefix}-id`)
  if (!isWebhookId(id)) throw malformed(`${prefix}-id`, "visible ASCII characters without a full stop")
  const timestamp = requiredHeader(headers, `${prefix}-timestamp`)
  if (!isTimestamp(timestamp)) throw malformed(`${prefix}-timestamp`, "unix time in whole seconds, in digits alone")
  return {
    scheme: "standard",
    header,
    rule: "whsec",
    prefix: `${id}.${timestamp}.`,
    digests,
    id,
    timestamp: Number(timestamp),
    encoding: "base64"
  }
}

const encodings: ReadonlyArray<AuditEncoding> = ["hex", "sha256=hex", "base64"]

const digestIn = (encoding: AuditEncoding, value: string) => {
  if (encoding === "base64") return base64Digest(value)
  if (encoding === "hex") return hexDigest(value)
  return value.startsWith("sha256=") ? hexDigest(value.slice(7)) : undefined
}

const readFolder = (headers: HeadersLike, vendor: string): Claim => {
  const own = folderSignatureHeader(vendor).toLowerCase()
  const header = !hasHeader(headers, own) && hasHeader(headers, githubHeader) ? githubHeader : own
  const digest = digestIn("sha256=hex", requiredHeader(headers, header))
  if (digest === undefined) throw malformed(header, "sha256= and 64 lower-case hex digits")
  return { ...unstamped, scheme: "folder", header, digests: [digest], encoding: "sha256=hex" }
}

const readAudit = (headers: HeadersLike, fixed: AuditEncoding | undefined): Claim => {
  const header = auditHeader.toLowerCase()
  const value = requiredHeader(headers, header)
  for (const encoding of fixed === undefined ? encodings : [fixed]) {
    const digest = digestIn(encoding, value)
    if (digest !== undefined) return { ...unstamped, scheme: "audit", header, digests: [digest], encoding }
  }
  throw malformed(header, `an HMAC-SHA256 digest as ${fixed ?? encodings.join(", ")}`)
}

/** Reads the signature of one scheme, or with `auto` of the strongest scheme that is present, and never of a weaker one. */
export const readClaim = (
  headers: HeadersLike,
  scheme: Scheme | "auto",
  vendor: string,
  encoding: AuditEncoding | undefined
): Claim => {
  if (scheme === "standard") return readStandard(headers)
  if (scheme === "folder") return readFolder(headers, vendor)
  if (scheme === "audit") return readAudit(headers, encoding)
  if (hasHeader(headers, `${standardPrefix(headers)}-signature`)) return readStandard(headers)
  const audit = auditHeader.toLowerCase()
  const folder = folderSignatureHeader(vendor).toLowerCase()
  if (hasHeader(headers, audit)) return readAudit(headers, encoding)
  if (hasHeader(headers, folder) || hasHeader(headers, githubHeader)) return readFolder(headers, vendor)
  throw missing(headers, [signatureHeader, audit, folder])
}
