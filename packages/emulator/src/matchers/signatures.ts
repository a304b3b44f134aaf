import { type FailureCode, isSigningError, type Secrets, type VerifySyncOptions, verifySync } from "@tapedeck/signing"
import { callText, type Expectation, type MatcherResult, result } from "./result.ts"
import { requestsIn, type SignedRequest } from "./subjects.ts"
import { logTable } from "./table.ts"

export interface SignatureOptions {
  /** Name of the vendor in `X-<Vendor>-Signature`, as in the world's setting `vendor`. Default: `Tapedeck`. */
  readonly vendor?: string
  /** True requires the Standard Webhooks headers, as the world's setting `standard_webhooks` does. Default: true. */
  readonly standardWebhooks?: boolean
}

/**
 * Every request has signatures that were made with the secret (or with one of several during a rotation): the vendor's header,
 * or an audit destination's, and the Standard Webhooks headers, whose time is the attempt's if it is known. For deliveries, a
 * sink, or requests `{ headers, body }` of a receiver, one or a list. Without any request it fails, with `not`, too.
 */
export function toHaveValidSignatures(
  this: Expectation,
  received: unknown,
  secret: Secrets,
  options: SignatureOptions = {}
): MatcherResult {
  const { logs, requests } = requestsIn("toHaveValidSignatures", received)
  // The message must not contain the secret.
  const call = callText(this, "toHaveValidSignatures", "secret")
  if (requests.length === 0) {
    return result(this.isNot === true, () => [
      call,
      "There is no request whose signatures could be verified.",
      ...logs.map((log) => logTable(log))
    ])
  }
  const problems = requests.flatMap((request) =>
    problemsOf(request, secret, options).map((problem) => `  ✗ ${request.title}: ${problem}`)
  )
  return result(problems.length === 0, () => [
    call,
    problems.length > 0 ? problems.join("\n") : "The signatures of these requests are valid, each one:",
    ...logs.map((log) => logTable(log))
  ])
}

const problemsOf = (request: SignedRequest, secret: Secrets, options: SignatureOptions): ReadonlyArray<string> => {
  const { standardWebhooks = true, vendor } = options
  const given = { body: request.body, headers: request.headers, secret, vendor }
  const { sentAtMs } = request
  const time =
    sentAtMs === undefined ? { toleranceSeconds: Number.POSITIVE_INFINITY } : { now: sentAtMs, toleranceSeconds: 0 }
  return [
    ...ownSignatureProblems(request, given),
    ...(standardWebhooks ? problem({ ...given, ...time, scheme: "standard" }) : [])
  ].map(({ code, message }) =>
    code.startsWith("timestamp_") ? "The webhook-timestamp is not the time at which the attempt was made." : message
  )
}

/** The vendor's header or, if the sender may be an audit destination, the destination's. */
const ownSignatureProblems = ({ scheme }: SignedRequest, given: VerifySyncOptions): ReadonlyArray<Failure> => {
  if (scheme !== undefined) return problem({ ...given, scheme })
  const asFolder = problem({ ...given, scheme: "folder" })
  if (asFolder[0]?.code !== "header_missing") return asFolder
  const asAudit = problem({ ...given, scheme: "audit" })
  return asAudit[0]?.code === "header_missing" ? asFolder : asAudit
}

interface Failure {
  readonly code: FailureCode
  readonly message: string
}

/** The error of the request. An error of the secret or the options is a mistake in the test, and is thrown. */
const problem = (options: VerifySyncOptions): ReadonlyArray<Failure> => {
  try {
    verifySync(options)
    return []
  } catch (error) {
    if (isSigningError(error) && ofTheRequest.has(error.code)) return [error]
    throw error
  }
}

const ofTheRequest: ReadonlySet<FailureCode> = new Set([
  "header_missing",
  "header_malformed",
  "signature_version_unknown",
  "signature_mismatch",
  "timestamp_too_old",
  "timestamp_too_new",
  "body_not_well_formed"
])
