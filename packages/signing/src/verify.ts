import { type HmacKey, matches, matchesSync } from "#hmac"
import { type Body, toBytes } from "./body.ts"
import { type RawBodyHint, SigningError } from "./errors.ts"
import { checkHeaders, type HeadersLike } from "./headers.ts"
import { checkPolicy, secondsOf, timeOf, type VerifyPolicy } from "./policy.ts"
import type { SyncReplayStore } from "./replay.ts"
import { type AuditEncoding, type Claim, defaultVendor, readClaim } from "./schemes.ts"
import { prefixedKeys } from "./secrets.ts"

export interface VerifyOptions extends VerifyPolicy {
  /** The body as it was sent: bytes, or text, which stands for its UTF-8 bytes. */
  readonly body: Body
  readonly headers: HeadersLike
}

export interface VerifySyncOptions extends VerifyOptions {
  readonly now?: Date | number | (() => Date | number) | undefined
  readonly replayStore?: SyncReplayStore | undefined
}

/** A verified Standard Webhooks delivery. */
export interface VerifiedStandard {
  readonly scheme: "standard"
  /** Index of the secret that matched, counted from 0. */
  readonly secretIndex: number
  /** `webhook-id`, the same in each attempt of a delivery. Use it as the key to process deliveries idempotently. */
  readonly id: string
  /** `webhook-timestamp` of the attempt: Unix time, in seconds. */
  readonly timestamp: number
}

export interface VerifiedFolder {
  readonly scheme: "folder"
  readonly secretIndex: number
}

export interface VerifiedAudit {
  readonly scheme: "audit"
  readonly secretIndex: number
  readonly encoding: AuditEncoding
}

/** A verified delivery, by scheme. */
export type Verified = VerifiedStandard | VerifiedFolder | VerifiedAudit

interface Question {
  readonly claim: Claim
  readonly body: Uint8Array
  readonly keys: ReadonlyArray<HmacKey>
}

type Keys = ReadonlyArray<HmacKey | undefined>

const prepare = (options: VerifyOptions, hint: RawBodyHint | undefined): Question => {
  const { scheme, keys } = checkPolicy(options)
  checkHeaders(options.headers)
  const body = toBytes(options.body, hint)
  const claim = readClaim(options.headers, scheme, options.vendor ?? defaultVendor, options.encoding)
  return { claim, body, keys: keys[claim.rule] }
}

/** Checks the timestamp. `time` is the result of `now`. */
const checkTime = ({ timestamp }: VerifiedStandard, time: unknown, { toleranceSeconds = 300 }: VerifyPolicy): void => {
  const now = secondsOf(time)
  const bySeconds = Math.abs(now - timestamp) - toleranceSeconds
  if (bySeconds <= 0) return
  const data = { timestamp, now, toleranceSeconds, bySeconds }
  throw now > timestamp ? new SigningError("timestamp_too_old", data) : new SigningError("timestamp_too_new", data)
}

/** Returns keys to try if none matched, only for the hint: the secrets of Standard Webhooks can be base64. */
const hintKeys = ({ secret }: VerifyOptions, { rule }: Claim, matched: ReadonlyArray<boolean>): Keys =>
  rule === "whsec" && !matched.includes(true) ? prefixedKeys(secret) : []

/** Returns the verified delivery. `matched` tells for each key whether it matches. The time is checked afterwards, because only a signed time is reliable. */
const conclude = (
  options: VerifyOptions,
  { claim, body, keys }: Question,
  matched: ReadonlyArray<boolean>,
  prefixed: ReadonlyArray<boolean>
): Verified => {
  const secretIndex = matched.indexOf(true)
  if (secretIndex < 0) {
    throw new SigningError("signature_mismatch", {
      header: claim.header,
      secrets: keys.length,
      bodyBytes: body.length,
      undecodable: typeof options.body === "string" && options.body.includes("\uFFFD"),
      matchesWithPrefix: prefixed.indexOf(true)
    })
  }
  const { scheme, id, timestamp, encoding } = claim
  if (scheme === "folder") return { scheme, secretIndex }
  if (scheme === "audit") return { scheme, secretIndex, encoding }
  return { scheme, secretIndex, id, timestamp }
}

/** Queries the replay store, if there is one, in which case `policy` ensures that the scheme is `standard`. */
const askStore = (verified: Verified, { replayStore, toleranceSeconds = 300 }: VerifyPolicy) =>
  replayStore === undefined || verified.scheme !== "standard"
    ? false
    : replayStore.seen(`${verified.id}.${verified.timestamp}`, verified.timestamp + Math.ceil(toleranceSeconds))

const refuseReplay = (verified: Verified, seen: boolean): Verified => {
  if (!seen || verified.scheme !== "standard") return verified
  throw new SigningError("replayed", { id: verified.id, timestamp: verified.timestamp })
}

/** Same as `verify`, for an adapter: errors explain how to get the raw bytes in its framework. */
export const verifyIn = async (hint: RawBodyHint | undefined, options: VerifyOptions): Promise<Verified> => {
  const question = prepare(options, hint)
  const { claim, body } = question
  const matchedBy = async (keys: Keys) => {
    const matched: Array<boolean> = []
    for (const key of keys) matched.push(key !== undefined && (await matches(key, claim.prefix, body, claim.digests)))
    return matched
  }
  const matched = await matchedBy(question.keys)
  const verified = conclude(options, question, matched, await matchedBy(hintKeys(options, claim, matched)))
  if (verified.scheme === "standard") checkTime(verified, await timeOf(options.now), options)
  return refuseReplay(verified, await askStore(verified, options))
}

/**
 * Verifies the signature of a delivery, and the age of a Standard Webhooks delivery. Resolves with the verified delivery, or rejects with a
 * `SigningError`, whose `code` is the reason. All secrets are tried, even after a match.
 */
export const verify = (options: VerifyOptions): Promise<Verified> => verifyIn(undefined, options)

/** Same as `verify`, but synchronous. Requires `node:crypto` (Node, Deno, Bun); throws `sync_unavailable` on other runtimes. */
export const verifySync = (options: VerifySyncOptions): Verified => {
  const question = prepare(options, undefined)
  const { claim, body } = question
  const matchedBy = (keys: Keys) =>
    keys.map((key) => key !== undefined && matchesSync(key, claim.prefix, body, claim.digests))
  const matched = matchedBy(question.keys)
  const verified = conclude(options, question, matched, matchedBy(hintKeys(options, claim, matched)))
  if (verified.scheme === "standard") checkTime(verified, timeOf(options.now), options)
  const seen = askStore(verified, options)
  if (typeof seen !== "boolean") {
    throw new SigningError("option_invalid", {
      option: "replayStore",
      expected: "one that answers at once, for verifySync"
    })
  }
  return refuseReplay(verified, seen)
}
