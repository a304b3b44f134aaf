import { type Body, toBytes } from "../body.ts"
import { type FailureCode, isSigningError, type RawBodyHint, SigningError, type SigningFailure } from "../errors.ts"
import { parseEvent, parseJson, type WebhookEvent } from "../events.ts"
import type { HeadersLike } from "../headers.ts"
import { checkPolicy, type VerifyPolicy } from "../policy.ts"
import { type Verified, verifyIn } from "../verify.ts"

export interface WebhookOptions extends VerifyPolicy {
  /** Maximum size of a body, in bytes. Default: 1 MiB. A larger one is answered with 413, and not held in memory. */
  readonly maxBodyBytes?: number | undefined
  /** Called for each refused request with the reason, for the receiver's log. */
  readonly onRefused?: ((error: SigningFailure) => void) | undefined
}

/** A delivery whose signature was verified. */
export type Delivery = Verified & {
  /** The bytes that were signed. */
  readonly body: Uint8Array
  /** The event in the body. What it throws for other bodies is answered with 400, unless the handler catches it. */
  event(): WebhookEvent
  /** The JSON in the body, for a custom payload. */
  json(): unknown
}

/** What a handler gives back when it leaves the answer to us: 204. */
export type Unanswered = undefined | void

/** An answer that a framework's own means are to send. */
export interface Refusal {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** What one adapter is made of: the checks, and the answers to what they refuse. */
export interface Receiver {
  readonly maxBodyBytes: number
  receive(body: Body, headers: HeadersLike): Promise<Delivery>
  /** The answer to an error on the way to the handler; what is not of this package is thrown again. */
  refuse(error: unknown): Refusal
  /** The answer to an error of the handler: only a body that is no event is answered, the rest is thrown again. */
  refuseEvent(error: unknown): Refusal
}

/** 401 is an error of the sender (or an intruder), 500 of the receiver. Both logs show it. */
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

/** One line of JSON: the dispatcher's log shows status and body of an answer, so the cause and the cure stand there. */
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

/** The response to an error of this package, which is also passed to `onRefused`; other errors are rethrown. */
export const refuse = (error: unknown, onRefused: WebhookOptions["onRefused"]): Refusal => {
  if (!isSigningError(error)) throw error
  onRefused?.(error)
  return refusalOf(error)
}

/** Refuses secrets and options that no request could be verified with at once, not when the first request comes. */
export const makeReceiver = (hint: RawBodyHint, options: WebhookOptions): Receiver => {
  const { maxBodyBytes = 1_048_576, onRefused, ...policy } = options
  checkPolicy(policy)
  if (!Number.isSafeInteger(maxBodyBytes) || maxBodyBytes < 0) {
    throw new SigningError("option_invalid", { option: "maxBodyBytes", expected: "an integer of at least 0" })
  }
  return {
    maxBodyBytes,
    async receive(given, headers) {
      const body = toBytes(given, hint)
      if (body.length > maxBodyBytes) throw new SigningError("body_too_large", { limitBytes: maxBodyBytes })
      const verified = await verifyIn(hint, { ...policy, body: given, headers })
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

/** Collects the chunks of a body as long as they are within the limit. */
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

/** Refuses by the length that a request declares, before anything of its body is read. */
export const checkDeclaredLength = (declared: unknown, limitBytes: number): void => {
  if (Number(declared) > limitBytes) throw new SigningError("body_too_large", { limitBytes })
}
