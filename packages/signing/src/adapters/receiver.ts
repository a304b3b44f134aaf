import { type Body, toBytes } from "../body.ts"
import { type FailureCode, isSigningError, type RawBodyHint, SigningError, type SigningFailure } from "../errors.ts"
import { parseEvent, parseJson, type WebhookEvent } from "../events.ts"
import type { HeadersLike } from "../headers.ts"
import { checkOptions, checkPolicy, type VerifyPolicy } from "../policy.ts"
import type { Secrets } from "../secrets.ts"
import { type Verified, verifyIn } from "../verify.ts"

export interface WebhookOptions extends Omit<VerifyPolicy, "secret"> {
  /**
   * The secret, or several secrets during a rotation; or a function that returns them for each request, so that a build of your
   * application does not need them.
   */
  readonly secret: Secrets | (() => Secrets | undefined)
  /** Maximum size of a body, in bytes. Default: 1 MiB. A larger body is refused with 413, and is not held in memory. */
  readonly maxBodyBytes?: number | undefined
  /** Called with the reason for each refused request, for the receiver's log. */
  readonly onRefused?: ((error: SigningFailure) => void) | undefined
}

/** A delivery whose signature was verified. */
export type Delivery = Verified & {
  /** The signed bytes. */
  readonly body: Uint8Array
  /** Returns the event in the body. Throws for other bodies, for which the response is 400 unless the handler catches the error. */
  event(): WebhookEvent
  /** Returns the JSON value in the body, for a custom payload. */
  json(): unknown
}

/** Result of a handler without a response of its own. The response is 204. */
export type Unanswered = undefined | void

/** A response to a refused request, which the adapter sends with the means of its framework. */
export interface Refusal {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The checks of an adapter, and the responses to refused requests. */
export interface Receiver {
  readonly maxBodyBytes: number
  receive(body: Body, headers: HeadersLike): Promise<Delivery>
  /** Returns the response to an error before the handler. Errors of other packages are rethrown. */
  refuse(error: unknown): Refusal
  /** Returns the response to an error of the handler if the body is not an event. Other errors are rethrown. */
  refuseEvent(error: unknown): Refusal
}

/** Returns the status of the response: 401 for an error of the sender (or an intruder), 500 for one of the receiver. */
const statusOf = (code: FailureCode): number => {
  switch (code) {
    case "body_too_large":
      return 413
    case "body_interrupted":
    case "event_not_json":
    case "event_unexpected":
      return 400
    case "body_missing":
    case "body_parsed":
    case "body_not_well_formed":
    case "secret_refused":
    case "option_invalid":
    case "sync_unavailable":
    case "crypto_unavailable":
      return 500
    default:
      return 401
  }
}

/** Returns the response as one line of JSON with cause and remedy, because the sender's log shows status and body of a response. */
const refusalOf = (error: SigningFailure): Refusal => {
  const status = statusOf(error.code)
  return {
    status,
    headers: {
      "content-type": "application/json; charset=utf-8",
      "cache-control": "no-store",
      ...(status === 401 ? { "www-authenticate": "Webhook-Signature" } : {})
    },
    body: JSON.stringify({ error: error.message, code: error.code })
  }
}

/** Returns the response to an error of this package, and passes the error to `onRefused`. Other errors are rethrown. */
export const refuse = (error: unknown, onRefused: WebhookOptions["onRefused"]): Refusal => {
  if (!isSigningError(error)) throw error
  onRefused?.(error)
  return refusalOf(error)
}

/**
 * Creates a receiver. Throws at once, not at the first request, if no request could be verified with the secrets and options. A function
 * is first called for a request, for which an invalid secret is an error.
 */
export const makeReceiver = (hint: RawBodyHint, options: WebhookOptions): Receiver => {
  const { maxBodyBytes = 1_048_576, onRefused, secret, ...policy } = options
  if (typeof secret === "function") checkOptions(policy)
  else checkPolicy({ ...policy, secret })
  if (!Number.isSafeInteger(maxBodyBytes) || maxBodyBytes < 0) {
    throw new SigningError("option_invalid", { option: "maxBodyBytes", expected: "an integer of at least 0" })
  }
  return {
    maxBodyBytes,
    async receive(given, headers) {
      const body = toBytes(given, hint)
      if (body.length > maxBodyBytes) throw new SigningError("body_too_large", { limitBytes: maxBodyBytes })
      const secrets = (typeof secret === "function" ? secret() : secret) as Secrets
      const verified = await verifyIn(hint, { ...policy, secret: secrets, body: given, headers })
      return { ...verified, body, event: () => parseEvent(body), json: () => parseJson(body) }
    },
    refuse: (error) => refuse(error, onRefused),
    refuseEvent(error) {
      if (isSigningError(error) && (error.code === "event_not_json" || error.code === "event_unexpected")) {
        return refuse(error, onRefused)
      }
      throw error
    }
  }
}

/** Collects the chunks of a body up to the limit. */
export const collector = (limitBytes: number) => {
  const chunks: Array<Uint8Array> = []
  let size = 0
  return {
    add(chunk: Uint8Array): void {
      size += chunk.length
      if (size > limitBytes) {
        chunks.length = 0
        throw new SigningError("body_too_large", { limitBytes })
      }
      chunks.push(chunk)
    },
    bytes(): Uint8Array {
      const bytes = new Uint8Array(size)
      let at = 0
      for (const chunk of chunks) {
        bytes.set(chunk, at)
        at += chunk.length
      }
      return bytes
    }
  }
}

/** Throws if the declared length of a request exceeds the limit, before the body is read. */
export const checkDeclaredLength = (declared: unknown, limitBytes: number): void => {
  if (Number(declared) > limitBytes) throw new SigningError("body_too_large", { limitBytes })
}
