import type { ScryptCost } from "./passwordHash.ts"

/** So many tries in such a time. */
export interface TryLimit {
  readonly tries: number
  readonly perMs: number
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** How signing in is done. */
export interface SignInPolicy {
  /** Whether a password opens a session. Where not, it has to be the provider. */
  readonly passwords: boolean
  /** A session that is not used for so long has expired. */
  readonly idleMs: number
  /** However much it is used. */
  readonly lifetimeMs: number
  /** The lifetime of an invitation's link. */
  readonly invitationMs: number
  /** How long a link for a password is good. */
  readonly passwordLinkMs: number
  /** Cost of the hash of a new password. */
  readonly passwordCost: ScryptCost
  /** Failed tries of one e-mail address, known or not. */
  readonly perName: TryLimit
  /** Failed tries from one network address. */
  readonly perAddress: TryLimit
  /** Whether this process itself ends TLS; a proxy that does is in the request. */
  readonly isTls: boolean
  /** Where a link's page is, below `publicUrl`; null where there is none: then there are no links. */
  readonly linkPath: string | null
}

/** The lifetimes, the cost and the limits that are not settings. */
export const signInLimits = {
  invitationMs: 3 * dayMs,
  passwordLinkMs: hourMs,
  // 32 MiB, three times: as strong, by OWASP's table, as 128 MiB once.
  passwordCost: { ln: 15, r: 8, p: 3 },
  perName: { tries: 10, perMs: 15 * minuteMs },
  perAddress: { tries: 100, perMs: 15 * minuteMs }
}

export const defaultSignInPolicy: SignInPolicy = {
  ...signInLimits,
  passwords: true,
  idleMs: 12 * hourMs,
  lifetimeMs: 7 * dayMs,
  isTls: false,
  linkPath: null
}
