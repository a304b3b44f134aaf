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
  /** True to exclude deactivated users. */
  readonly activeOnly?: boolean
}

export interface UserRepository {
  readonly byId: (id: UserId) => Effect.Effect<User | undefined>
  /** Returns the existing users with these ids, in any order. */
  readonly byIds: (ids: ReadonlyArray<UserId>) => Effect.Effect<ReadonlyArray<User>>
  /** E-mail addresses are unique in a store and match without regard to case (R16). */
  readonly byEmail: (email: string) => Effect.Effect<User | undefined>
  /** Oldest first: `createdAt`, then `id` (R7). */
  readonly page: (filter: UserFilter, slice: Slice) => Effect.Effect<Part<User>>
  /** The number of the account's active admins. */
  readonly countActiveAdmins: (accountId: AccountId) => Effect.Effect<number>
  /** The account's active admins, at most `limit`, by id. */
  readonly activeAdmins: (accountId: AccountId, limit: number) => Effect.Effect<ReadonlyArray<User>>
  readonly save: (user: User) => Effect.Effect<void>
}

/** An access token with its user and account. */
export interface TokenHolder {
  readonly token: AccessToken
  readonly user: User
  readonly account: Account
}

export interface TokenRepository {
  /** Includes revoked tokens and those of deactivated users: the use case refuses them (R19). */
  readonly holder: (hash: string) => Effect.Effect<TokenHolder | undefined>
  readonly byId: (id: TokenId) => Effect.Effect<AccessToken | undefined>
  /** A user's access tokens, without sessions and revoked tokens. Newest first: `createdAt` descending, then `id`. */
  readonly page: (userId: UserId, slice: Slice) => Effect.Effect<Part<AccessToken>>
  readonly save: (token: AccessToken) => Effect.Effect<void>
  /** Writes when it was last used, and nothing else. */
  readonly use: (id: TokenId, at: Instant) => Effect.Effect<void>
}

/** The number of a token's requests in the current window of the rate limit. */
export interface RateWindow {
  readonly startedAt: Instant
  readonly requests: number
}

/** Windows of the rate limit. Counting is one statement: concurrent requests wait for each other, and do not conflict. */
export interface RateWindowRepository {
  readonly byToken: (id: TokenId) => Effect.Effect<RateWindow | undefined>
  /** Adds a request to the token's window, or opens one at `at` if that one has ended, or begins more than `windowSkewMs` later. Returns the window. */
  readonly count: (id: TokenId, at: Instant, perMs: number) => Effect.Effect<RateWindow>
}
