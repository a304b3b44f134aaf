import * as Schema from "effect/Schema"
import { isLongerThan } from "../recordings/recordingChanges.ts"
import { Instant } from "../time.ts"

/** A secret that was rotated out, and still signs beside the new one until it expires, so that receivers have time to change over. */
export const PreviousSecret = Schema.Struct({ secret: Schema.String, expiresAt: Instant })
export type PreviousSecret = typeof PreviousSecret.Type

/** What signs the deliveries of an automation or a destination; a destination may have no secret. */
export interface SigningSecrets {
  readonly secret: string | null
  /** Newest first. */
  readonly previousSecrets: ReadonlyArray<PreviousSecret>
}

/** Default time in which the old secret signs too after a rotation. */
export const DEFAULT_OVERLAP_MS = 24 * 3_600_000

/** No overlap may be longer: an old secret is to go some day. */
export const MAX_OVERLAP_MS = 7 * 24 * 3_600_000

/** How many old secrets may sign along at a time: each is one more signature on every delivery. */
export const MAX_PREVIOUS_SECRETS = 4

/** The old secrets that still sign at this instant. */
export const livePreviousSecrets = (secrets: SigningSecrets, at: Instant): ReadonlyArray<PreviousSecret> =>
  secrets.previousSecrets.filter(({ expiresAt }) => expiresAt > at)

/** The secrets that sign an attempt which starts at this instant, the present one first; empty: it is not signed. */
export const signingSecrets = (secrets: SigningSecrets, at: Instant): ReadonlyArray<string> =>
  secrets.secret === null
    ? []
    : [secrets.secret, ...livePreviousSecrets(secrets, at).map(({ secret: previous }) => previous)]

export interface Rotation {
  readonly to: string
  readonly at: Instant
  /** 0: the secrets before stop at once, those of earlier rotations too, as when one has leaked. */
  readonly overlapMs: number
}

/** The secrets after a rotation. Expired ones are dropped. */
export const rotateSecret = <Secrets extends SigningSecrets>(
  secrets: Secrets,
  { at, overlapMs, to }: Rotation
): Secrets & { readonly secret: string } => {
  const previous =
    secrets.secret === null || overlapMs === 0
      ? []
      : [{ secret: secrets.secret, expiresAt: Instant.make(at + overlapMs) }, ...livePreviousSecrets(secrets, at)]
  return { ...secrets, secret: to, previousSecrets: previous }
}

/** Maximum length of a secret, in Unicode code points. */
export const MAX_SECRET_LENGTH = 255

/** Why the text cannot be a secret, worded to follow its field's name; undefined if it can. What follows `whsec_` is decoded. */
export const secretProblem = (text: string): string | undefined => {
  if (text === "") return "must not be empty"
  if (isLongerThan(text, MAX_SECRET_LENGTH)) return `must be at most ${MAX_SECRET_LENGTH} characters long`
  // Half a surrogate pair has no UTF-8, so it could not sign.
  if (!text.isWellFormed()) return "must not hold half a character (a lone surrogate)"
  if (text.startsWith(PREFIX) && !isBase64(text.slice(PREFIX.length))) return "must be base64 after whsec_"
  return undefined
}

const PREFIX = "whsec_"

const isBase64 = (text: string): boolean => text !== "" && text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text)
