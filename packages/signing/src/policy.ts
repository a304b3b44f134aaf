import type { HmacKey } from "#hmac"
import { SigningError } from "./errors.ts"
import type { ReplayStore } from "./replay.ts"
import type { AuditEncoding, Scheme } from "./schemes.ts"
import { type KeyRule, keysOf, type Secrets } from "./secrets.ts"

/** What a receiver says of its sender, for every request alike. */
export interface VerifyPolicy {
  /** One secret, or several while they are rotated. Each must be a key, or all are refused. */
  readonly secret: Secrets
  /**
   * Which signature must be there. `auto` (the default) takes the strongest one that is: Standard Webhooks, else audit, else
   * folder. Only Standard Webhooks signs a time: where old requests must be refused, say `standard`.
   */
  readonly scheme?: Scheme | "auto" | undefined
  /** The word in `X-<Vendor>-Signature`; `Tapedeck` unless told. */
  readonly vendor?: string | undefined
  /** How an audit destination writes its digest; told apart by its form unless fixed here. */
  readonly encoding?: AuditEncoding | undefined
  /** How far `webhook-timestamp` may be in the past or in the future, in seconds; 300 unless told. Asks for `standard`. */
  readonly toleranceSeconds?: number | undefined
  /** The time to compare it with: a date, milliseconds since 1970, or a function that gives one. `Date.now` unless told. */
  readonly now?: Date | number | (() => Date | number) | undefined
  /** Where accepted attempts are kept, so that a copy of one is refused. Asks for `standard`. */
  readonly replayStore?: ReplayStore | undefined
  /** The fewest bytes that a key may have; 1 unless told. */
  readonly minSecretBytes?: number | undefined
}

const invalid = (option: string, expected: string) => new SigningError("option_invalid", { option, expected })

const oneOf = (option: string, value: unknown, values: ReadonlyArray<string>) => {
  if (!values.includes(value as string)) throw invalid(option, `one of ${values.join(", ")}`)
}

/** The scheme that is asked for, once the options are known to be sound. Freshness is signed in `standard` alone. */
const checkOptions = (options: VerifyPolicy): Scheme | "auto" => {
  const { scheme = "auto", encoding, toleranceSeconds, replayStore, minSecretBytes = 1 } = options
  oneOf("scheme", scheme, ["auto", "standard", "folder", "audit"])
  if (encoding !== undefined) oneOf("encoding", encoding, ["hex", "sha256=hex", "base64"])
  if (!Number.isSafeInteger(minSecretBytes) || minSecretBytes < 1) {
    throw invalid("minSecretBytes", "an integer of at least 1")
  }
  if (toleranceSeconds === undefined && replayStore === undefined) return scheme
  if (scheme === "folder" || scheme === "audit") {
    const option = replayStore === undefined ? "toleranceSeconds" : "replayStore"
    throw invalid(option, `left out with scheme ${scheme}, whose signature covers no time`)
  }
  if (toleranceSeconds !== undefined && !(typeof toleranceSeconds === "number" && toleranceSeconds >= 0)) {
    throw invalid("toleranceSeconds", "a number of seconds, 0 or more")
  }
  if (replayStore !== undefined && typeof replayStore?.seen !== "function") {
    throw invalid("replayStore", "an object with a function seen(id, until)")
  }
  if (replayStore !== undefined && toleranceSeconds === Number.POSITIVE_INFINITY) {
    throw invalid("toleranceSeconds", "finite where there is a replayStore: nothing keeps ids for ever")
  }
  return "standard"
}

type Keys = Readonly<Record<KeyRule, ReadonlyArray<HmacKey>>>

/** A policy that is sound: the scheme that it asks for, and the keys under each rule that the scheme can need. */
export interface CheckedPolicy {
  readonly scheme: Scheme | "auto"
  readonly keys: Keys
}

/** Refuses options and secrets that no request could be verified with. Adapters do it before the first request comes. */
export const checkPolicy = (policy: VerifyPolicy): CheckedPolicy => {
  const scheme = checkOptions(policy)
  const { secret, minSecretBytes = 1 } = policy
  const whsec = scheme === "folder" || scheme === "audit" ? [] : keysOf(secret, "whsec", minSecretBytes)
  const text = scheme === "standard" ? [] : keysOf(secret, "text", minSecretBytes)
  return { scheme, keys: { whsec, text } }
}

/** The time to judge timestamps by, in unix seconds. */
export const nowSeconds = (now: VerifyPolicy["now"]): number => {
  const given = typeof now === "function" ? now() : (now ?? Date.now())
  const seconds = Math.floor(Number(given) / 1000)
  if (!Number.isFinite(seconds)) throw invalid("now", "a date, milliseconds since 1970, or a function that gives one")
  return seconds
}
