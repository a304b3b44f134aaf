import type { HmacKey } from "#hmac"
import { SigningError } from "./errors.ts"
import type { ReplayStore } from "./replay.ts"
import type { AuditEncoding, Scheme } from "./schemes.ts"
import { type KeyRule, keysOf, type Secrets } from "./secrets.ts"

/** The settings of a receiver for its sender. */
export interface VerifyPolicy {
  /** The secret, or several secrets during a rotation. If one is invalid, all are refused. */
  readonly secret: Secrets
  /**
   * Required signature. `auto`, the default, uses the strongest one that is present: Standard Webhooks, else audit, else folder. Only
   * Standard Webhooks signs a time: use `standard` to refuse old requests.
   */
  readonly scheme?: Scheme | "auto" | undefined
  /** Name of the vendor in `X-<Vendor>-Signature`. Default: `Tapedeck`. */
  readonly vendor?: string | undefined
  /** Encoding of an audit destination's digest. Default: detected from its form. */
  readonly encoding?: AuditEncoding | undefined
  /** Maximum distance of `webhook-timestamp` from now, in seconds. Default: 300. Requires `standard`. */
  readonly toleranceSeconds?: number | undefined
  /**
   * Present time for the check of `webhook-timestamp`: a date, milliseconds since 1970, or a function that returns either or a promise of
   * it. Default: `Date.now`.
   */
  readonly now?: Date | number | (() => Date | number | PromiseLike<Date | number>) | undefined
  /** Store of accepted attempts, with which copies of them are refused. Requires `standard`. */
  readonly replayStore?: ReplayStore | undefined
  /** Minimum size of a key, in bytes. Default: 1. */
  readonly minSecretBytes?: number | undefined
}

const invalid = (option: string, expected: string) => new SigningError("option_invalid", { option, expected })

const oneOf = (option: string, value: unknown, values: ReadonlyArray<string>) => {
  if (!values.includes(value as string)) throw invalid(option, `one of ${values.join(", ")}`)
}

/** Validates the options besides the secrets. Returns the required scheme. Only `standard` signs a time. */
export const checkOptions = (options: Omit<VerifyPolicy, "secret">): Scheme | "auto" => {
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

/** A validated policy: the required scheme, and the keys under each rule that the scheme may need. */
export interface CheckedPolicy {
  readonly scheme: Scheme | "auto"
  readonly keys: Keys
}

/** Throws if no request could be verified with the options and secrets. Adapters call it before the first request. */
export const checkPolicy = (policy: VerifyPolicy): CheckedPolicy => {
  const scheme = checkOptions(policy)
  const { secret, minSecretBytes = 1 } = policy
  const whsec = scheme === "folder" || scheme === "audit" ? [] : keysOf(secret, "whsec", minSecretBytes)
  const text = scheme === "standard" ? [] : keysOf(secret, "text", minSecretBytes)
  return { scheme, keys: { whsec, text } }
}

/** Returns the time of `now`, or a promise of it. */
export const timeOf = (now: VerifyPolicy["now"]): Date | number | PromiseLike<Date | number> =>
  typeof now === "function" ? now() : (now ?? Date.now())

/** Returns a time as Unix time, in seconds. */
export const secondsOf = (time: unknown): number => {
  const seconds = Math.floor(Number(time) / 1000)
  if (!Number.isFinite(seconds)) throw invalid("now", "a date, milliseconds since 1970, or a function that gives one")
  return seconds
}
