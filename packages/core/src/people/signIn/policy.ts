import type { ScryptCost } from "./passwordHash.ts"

/** Maximum number of tries in a period. */
export interface TryLimit {
  readonly tries: number
  readonly perMs: number
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** Settings of sign-in. */
export interface SignInPolicy {
  /** True if a password opens a session. If false, only the provider signs users in. */
  readonly passwords: boolean
  /** Time without use after which a session expires. */
  readonly idleMs: number
  /** Lifetime of a session, however much it is used. */
  readonly lifetimeMs: number
  /** The lifetime of an invitation's link. */
  readonly invitationMs: number
  /** Lifetime of a link for a password. */
  readonly passwordLinkMs: number
  /** Cost of the hash of a new password. */
  readonly passwordCost: ScryptCost
  /** Limit of failed tries of one e-mail address, known or not. */
  readonly perName: TryLimit
  /** Limit of failed tries from one network address. */
  readonly perAddress: TryLimit
  /** True if this process itself ends TLS; the request shows a proxy that does. */
  readonly isTls: boolean
  /** Path of the page of links, below `publicUrl`; null if there is none: then there are no links. */
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
