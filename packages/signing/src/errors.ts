/** What went wrong, by code, with the data that belongs to it. The message of a `SigningError` is derived from these. */
export interface Failures {
  readonly secret_refused: { readonly index: number; readonly reason: SecretReason }
  readonly option_invalid: { readonly option: string; readonly expected: string }
}

/** Why a secret is no key. */
export type SecretReason = "missing" | "empty" | "too_short" | "not_base64" | "not_well_formed"

export type FailureCode = keyof Failures

const secretMessages: Readonly<Record<SecretReason, string>> = {
  missing: "no secret was given. Is the environment variable that should hold it set?",
  empty: "the secret is empty, and an empty key protects nothing",
  too_short: "the secret is shorter than minSecretBytes",
  not_base64: "the secret starts with whsec_ and what follows is not base64. Copy it again, whole",
  not_well_formed: "the secret holds half of a surrogate pair, which has no UTF-8 bytes"
}

const messages: { readonly [C in FailureCode]: (data: Failures[C]) => string } = {
  secret_refused: ({ index, reason }) => `secret ${index + 1} is refused: ${secretMessages[reason]}.`,
  option_invalid: ({ option, expected }) => `${option} must be ${expected}.`
}

/** The one class of error that this package throws. No message holds a secret, a digest that was expected, or the body. */
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
