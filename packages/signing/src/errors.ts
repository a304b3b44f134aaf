/** Reason why a secret is not a valid key. */
export type SecretReason = "missing" | "empty" | "too_short" | "not_base64" | "not_well_formed"

/** The frameworks that have an adapter. */
export type Framework = "fetch" | "node" | "express" | "fastify" | "koa" | "next-pages" | "lambda"

/** Type of a body that is not bytes. `used` is a request whose body was already read. */
export type BodyFault = "object" | "array" | "stream" | "request" | "serialized_buffer" | "used" | "number" | "boolean"

/** All failures: the code and the data of each. Times are Unix time, in seconds. */
export interface Failures {
  /** None of `headers` is present; any of them is sufficient. `similar` has the names of present headers that resemble them. */
  readonly header_missing: { readonly headers: ReadonlyArray<string>; readonly similar: ReadonlyArray<string> }
  readonly header_malformed: { readonly header: string; readonly expected: string }
  /** `webhook-signature` has only entries of versions other than `v1`. */
  readonly signature_version_unknown: { readonly header: string; readonly versions: ReadonlyArray<string> }
  /** No signature matches. `undecodable` is true if the body is text with U+FFFD, which a decoder writes for lost bytes. */
  readonly signature_mismatch: {
    readonly header: string
    readonly secrets: number
    readonly bodyBytes: number
    readonly undecodable: boolean
    /** Index of the secret that would match with `whsec_` before it, as base64; -1 if there is none. */
    readonly matchesWithPrefix: number
  }
  readonly timestamp_too_old: TimestampData
  readonly timestamp_too_new: TimestampData
  readonly replayed: { readonly id: string; readonly timestamp: number }
  readonly body_missing: RawBodyHint
  readonly body_parsed: { readonly received: BodyFault } & RawBodyHint
  readonly body_not_well_formed: { readonly at: number }
  readonly body_too_large: { readonly limitBytes: number }
  readonly body_interrupted: { readonly framework: Framework }
  readonly event_not_json: { readonly bodyBytes: number }
  readonly event_unexpected: { readonly path: string; readonly expected: string }
  /** `index` counts the secrets from 0. */
  readonly secret_refused: { readonly index: number; readonly reason: SecretReason }
  readonly option_invalid: { readonly option: string; readonly expected: string }
  readonly sync_unavailable: { readonly instead: string }
  readonly crypto_unavailable: { readonly needed: string }
}

/** Hint how to get the raw bytes of a body in the adapter's framework; if that is undefined, in each framework. */
export interface RawBodyHint {
  readonly framework: Framework | undefined
  readonly cure: string
}

interface TimestampData {
  readonly timestamp: number
  readonly now: number
  readonly toleranceSeconds: number
  /** Time by which the timestamp exceeds the tolerance, in seconds. */
  readonly bySeconds: number
}

export type FailureCode = keyof Failures

const secretReasons: Readonly<Record<SecretReason, string>> = {
  missing: "none was given. Is the environment variable that should hold it set?",
  empty: "it is empty, and an empty key protects nothing. Is the environment variable that should hold it set?",
  too_short: "it has fewer bytes than minSecretBytes requires.",
  not_base64: "it starts with whsec_, and what follows is not base64. Copy it again, whole.",
  not_well_formed: "it holds half of a surrogate pair, which has no UTF-8 bytes."
}

const likeness = (similar: ReadonlyArray<string>) =>
  similar.length === 0
    ? "No header like it is there: was this sent by the webhook sender, and does a proxy drop headers?"
    : `There are similar ones: ${similar.join(", ")}. If it is one of these, say so with the options scheme and vendor.`

const clock = (data: TimestampData, direction: "behind" | "ahead of") =>
  `by ${data.bySeconds} s: it is ${Math.abs(data.now - data.timestamp)} s ${direction} this machine's clock, and ` +
  `${data.toleranceSeconds} s are tolerated. Is that clock right?`

const messages: { readonly [C in FailureCode]: (data: Failures[C]) => string } = {
  header_missing: ({ headers, similar }) => `The header ${headers.join(" or ")} is missing. ${likeness(similar)}`,
  header_malformed: ({ header, expected }) => `The header ${header} is malformed: expected ${expected}.`,
  signature_version_unknown: ({ header, versions }) =>
    `The header ${header} holds no v1 signature, only ${versions.join(", ")}, which this library does not verify.`,
  signature_mismatch: ({ header, secrets, bodyBytes, undecodable, matchesWithPrefix }) =>
    `The signature in ${header} is not that of these ${bodyBytes} bytes with ` +
    `${secrets === 1 ? "the secret" : `any of the ${secrets} secrets`}. ` +
    (matchesWithPrefix >= 0
      ? `Secret ${matchesWithPrefix + 1} matches as base64: write whsec_ before it.`
      : undecodable
        ? "The body is text with U+FFFD in it: bytes were lost when it was decoded. Give the raw bytes."
        : "Compare the secret with the sender's settings, and check that nothing changed the body: not even its spaces."),
  timestamp_too_old: (data) => `The webhook-timestamp is too old ${clock(data, "behind")}`,
  timestamp_too_new: (data) => `The webhook-timestamp is too new ${clock(data, "ahead of")}`,
  replayed: ({ id, timestamp }) =>
    `The attempt ${id} of ${timestamp} was accepted before. A retry by the sender has a new timestamp and is accepted.`,
  body_missing: ({ cure }) => `There is no body. ${cure}`,
  body_parsed: ({ received, cure }) => `${bodyFaults[received] ?? parsedAlready(received)} ${cure}`,
  body_not_well_formed: ({ at }) =>
    `The body is text with half of a surrogate pair at ${at}, which has no UTF-8 bytes. Give the raw bytes.`,
  body_too_large: ({ limitBytes }) => `The body has more than ${limitBytes} bytes (the option maxBodyBytes).`,
  body_interrupted: () => "The body ended before it was whole: the connection was lost.",
  event_not_json: ({ bodyBytes }) =>
    `The signature is right, but the body (${bodyBytes} bytes) is not JSON in UTF-8. For other payloads use verify.`,
  event_unexpected: ({ path, expected }) =>
    `The signature is right, but the event is not one that is known: expected ${path} to be ${expected}. ` +
    "For a custom payload use verify, and parse the body yourself.",
  secret_refused: ({ index, reason }) => `Secret ${index + 1} is refused: ${secretReasons[reason]}`,
  option_invalid: ({ option, expected }) => `${option} must be ${expected}.`,
  sync_unavailable: ({ instead }) => `This runtime has WebCrypto alone, which cannot answer at once: use ${instead}.`,
  crypto_unavailable: ({ needed }) => `This runtime has no ${needed}. In browsers it is there in secure contexts only.`
}

const parsedAlready = (received: BodyFault) =>
  `The body is not bytes (${received}): it was parsed already, and the signature covers the bytes that were sent.`

const bodyFaults: Readonly<Partial<Record<BodyFault, string>>> = {
  stream: "The body is a stream that was not read, and the signature covers its bytes.",
  request: "The body is a whole request. Give the bytes of its body.",
  serialized_buffer: "The body is a Buffer that was turned into JSON. Give the Buffer itself.",
  used: "The body of this request was read by something else before, and cannot be read twice."
}

/**
 * Error of this package, which throws no other class. Messages and data never contain a secret, the expected digest, or text from the
 * body. Prefer the type `SigningFailure`, a union in which `code` determines the type of `data`.
 */
export class SigningError<C extends FailureCode = FailureCode> extends Error {
  readonly code: C
  readonly data: Failures[C]

  constructor(code: C, data: Failures[C]) {
    super(messages[code](data))
    this.name = "SigningError"
    this.code = code
    this.data = data
  }
}

/** All errors of this package, distinguished by `code`. */
export type SigningFailure = { readonly [C in FailureCode]: SigningError<C> }[FailureCode]

/** Returns whether a value is an error of this package, or of another copy of it (such as an ESM and a CommonJS copy). */
export const isSigningError = (error: unknown): error is SigningFailure =>
  error instanceof Error && error.name === "SigningError" && Object.hasOwn(messages, (error as SigningError).code)
