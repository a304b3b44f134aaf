import type { AccessToken, Account, AccountId, Instant, TokenId, User, UserId } from "@tapedeck/domain"
import type { Effect } from "effect"
import type { Part, Slice } from "./slices.ts"

export interface AccountRepository {
  readonly byId: (id: AccountId) => Effect.Effect<Account | undefined>
  readonly list: Effect.Effect<ReadonlyArray<Account>>
  readonly save: (account: Account) => Effect.Effect<void>
}

export interface UserFilter {
  readonly accountId: AccountId
  /** Without those who were deactivated. */
  readonly activeOnly?: boolean
}

export interface UserRepository {
  readonly byId: (id: UserId) => Effect.Effect<User | undefined>
  /** E-mail addresses are unique in a store and match without regard to case (R16). */
  readonly byEmail: (email: string) => Effect.Effect<User | undefined>
  /** Oldest first: `createdAt`, then `id` (R7). */
  readonly page: (filter: UserFilter, slice: Slice) => Effect.Effect<Part<User>>
  /** How many admins of the account are active. */
  readonly countActiveAdmins: (accountId: AccountId) => Effect.Effect<number>
  readonly save: (user: User) => Effect.Effect<void>
}

/** Whom an access token stands for. */
export interface TokenHolder {
  readonly token: AccessToken
  readonly user: User
  readonly account: Account
}

export interface TokenRepository {
  /** Revoked tokens and tokens of deactivated users are found too: the use case refuses them (R19). */
  readonly holder: (hash: string) => Effect.Effect<TokenHolder | undefined>
  readonly byId: (id: TokenId) => Effect.Effect<AccessToken | undefined>
  /** A user's access tokens, without sessions and what was revoked. Newest first: `createdAt` descending, then `id`. */
  readonly page: (userId: UserId, slice: Slice) => Effect.Effect<Part<AccessToken>>
  readonly save: (token: AccessToken) => Effect.Effect<void>
}

/** How many requests a token made in the rate limit's present window. */
export interface RateWindow {
  readonly startedAt: Instant
  readonly requests: number
}

export interface RateWindowRepository {
  readonly byToken: (id: TokenId) => Effect.Effect<RateWindow | undefined>
  readonly save: (id: TokenId, window: RateWindow) => Effect.Effect<void>
}
