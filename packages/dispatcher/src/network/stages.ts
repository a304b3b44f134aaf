import type { AttemptOutcome } from "@tapedeck/domain"
import type { Answer } from "../Sender.ts"

/** Maximum size of a response's headers. */
export const maxHeaderBytes = 16 * 1024

/** Error before anything was sent, with the stage, and a sentence for the attempt that is more exact than an error code. */
export class Unreached extends Error {
  readonly outcome: AttemptOutcome

  constructor(outcome: AttemptOutcome, message: string) {
    super(message)
    this.name = "Unreached"
    this.outcome = outcome
  }
}

/** Node's and undici's error codes, by the stage at which the attempt failed. */
const stages: ReadonlyArray<readonly [AttemptOutcome, RegExp, string]> = [
  ["dns", /^(ENOTFOUND|EAI_|ENODATA|ESERVFAIL|EBADNAME)/, "the host name was not resolved"],
  ["refused", /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|EACCES|EPERM)/, "the connection was refused"],
  ["timeout", /^(ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)/, "there was no connection in time"],
  [
    "tls",
    /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_|SELF_SIGNED|UNABLE_TO|EPROTO|HOSTNAME_MISMATCH|INVALID_CA)/,
    "the TLS handshake failed"
  ],
  ["reset", /^UND_ERR_HEADERS_OVERFLOW/, `the response's headers were larger than ${maxHeaderBytes / 1024} KiB`],
  ["reset", /^(HPE_|HTTPParserError)/, "the response was not valid HTTP"],
  ["reset", /./, "the connection was closed before the response was complete"]
]

/** Returns the answer of an attempt without a response, with the stage at which it failed, and the status if it was received. */
export const unanswered = (error: unknown, statusCode: number | null = null): Answer => {
  if (error instanceof Unreached) {
    return { outcome: error.outcome, statusCode, response: null, error: error.message }
  }
  const code = codeOf(error)
  const [outcome, , text] = stages.find(([, pattern]) => pattern.test(code)) ?? stages[stages.length - 1]!
  return { outcome, statusCode, response: null, error: `${text} (${code})` }
}

/** Returns the code of an error or of its cause, or else its name; never its message, which may quote the request. */
const codeOf = (error: unknown): string => {
  if (!(error instanceof Error)) return "unknown"
  const { cause, code, name } = error as Error & { readonly code?: unknown }
  if (typeof code === "string") return code
  return cause instanceof Error ? codeOf(cause) : name
}
