import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

/** Returns the name of the header with the signature of an automation's deliveries. */
export const vendorSignatureHeader = (vendor: string): string => `X-${vendor}-Signature`

/** Name of the header with the signature of audit deliveries. */
export const AUDIT_SIGNATURE_HEADER = "X-Webhook-Signature"

/**
 * Headers that custom headers cannot set, in lower case: headers of the connection and of the message's framing (RFC 9110, 7.6.1), which
 * a proxy would interpret; `Content-Encoding`, because the body is sent without encoding; and headers that the service sets.
 */
const RESERVED: ReadonlySet<string> = new Set([
  "host",
  "content-length",
  "transfer-encoding",
  "connection",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "upgrade",
  "expect",
  "content-encoding",
  "webhook-id",
  "webhook-timestamp",
  "webhook-signature",
  AUDIT_SIGNATURE_HEADER.toLowerCase()
])

/** RFC 9110, token. */
const fieldName = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
/** Valid header values: printable ASCII and Latin-1, without control characters and characters beyond a byte. */
const fieldValue = /^[\x20-\x7e\xa0-\xff]*$/

/** Error of one custom header. It does not contain the value, which may be a secret. */
export const HeaderError = Schema.Struct({ header: Schema.String, message: Schema.String })
export type HeaderError = typeof HeaderError.Type

/**
 * Checks custom headers, a JSON object of names to values, and returns all errors. `vendor` is the vendor name, whose signature header is
 * refused.
 */
export const validateHeaders = (
  headers: Readonly<Record<string, unknown>>,
  vendor: string
): Result.Result<Readonly<Record<string, string>>, ReadonlyArray<HeaderError>> => {
  const signatureHeader = vendorSignatureHeader(vendor).toLowerCase()
  const seen = new Set<string>()
  const errors: Array<HeaderError> = []
  for (const [header, value] of Object.entries(headers)) {
    const name = header.toLowerCase()
    const message = problemOf(header, value)
    if (message !== undefined) errors.push({ header, message })
    else if (RESERVED.has(name) || name === signatureHeader) {
      errors.push({ header, message: "is set by the service and cannot be a custom header" })
    } else if (seen.has(name)) errors.push({ header, message: "is given twice (names do not differ by case)" })
    seen.add(name)
  }
  return errors.length > 0 ? Result.fail(errors) : Result.succeed(headers as Readonly<Record<string, string>>)
}

const problemOf = (header: string, value: unknown): string | undefined => {
  if (!fieldName.test(header)) return "is not a valid header name"
  if (typeof value !== "string") return "must have a string as its value"
  if (!fieldValue.test(value)) return "has a value with a character that a header cannot carry"
  if (value !== value.trim()) return "has a value with white space at an end, which a header loses"
  return undefined
}
