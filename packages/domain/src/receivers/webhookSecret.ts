import * as Schema from "effect/Schema"
import { isLongerThan } from "../recordings/recordingChanges.ts"
import { Instant } from "../time.ts"

/** An old secret, which still signs deliveries in addition to the new one until it expires, so that receivers have time to switch. */
export const PreviousSecret = Schema.Struct({ secret: Schema.String, expiresAt: Instant })
export type PreviousSecret = typeof PreviousSecret.Type

/** Secrets that sign the deliveries of an automation or a destination. A destination may have none. */
export interface SigningSecrets {
  readonly secret: string | null
  /** Old secrets, newest first. */
  readonly previousSecrets: ReadonlyArray<PreviousSecret>
}

/** Default time for which the old secret still signs after a rotation, in milliseconds: one day. */
export const DEFAULT_OVERLAP_MS = 24 * 3_600_000

/** Maximum time for which an old secret still signs after a rotation, in milliseconds: 7 days. */
export const MAX_OVERLAP_MS = 7 * 24 * 3_600_000

/** Maximum number of old secrets that still sign. Each adds a signature to every delivery. */
export const MAX_PREVIOUS_SECRETS = 4

/** Returns the old secrets that still sign at this instant. */
export const livePreviousSecrets = (secrets: SigningSecrets, at: Instant): ReadonlyArray<PreviousSecret> =>
  secrets.previousSecrets.filter(({ expiresAt }) => expiresAt > at)

/** Returns the secrets that sign an attempt that starts at this instant, the present one first; empty if it is not signed. */
export const signingSecrets = (secrets: SigningSecrets, at: Instant): ReadonlyArray<string> =>
  secrets.secret === null
    ? []
    : [secrets.secret, ...livePreviousSecrets(secrets, at).map(({ secret: previous }) => previous)]

export interface Rotation {
  readonly to: string
  readonly at: Instant
  /** Time for which the old secret still signs, in milliseconds. 0 ends all old secrets at once, for use after a leak. */
  readonly overlapMs: number
}

/** Returns the secrets after a rotation, without expired ones. */
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

/** Returns the reason why a text cannot be a secret, worded to follow the name of its field; undefined if it can. The part after `whsec_` must be base64. */
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
