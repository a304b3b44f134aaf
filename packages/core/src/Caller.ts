import type { Account, TokenId, User } from "@tapedeck/domain"
import { Context } from "effect"

/** Who asks: the user whom an access token (or a console session) stands for, and the user's account. */
export interface Caller {
  readonly user: User
  readonly account: Account
  readonly tokenId: TokenId
  /** A session may do what a token may not: make tokens, and work where API access is off (S1). */
  readonly kind: "access" | "session"
}

/** Where a request came from, for the audit log. Null where it did not come over the network. */
export const RequestOrigin = Context.Reference<{
  readonly ipAddress: string | null
  readonly userAgent: string | null
}>("@tapedeck/core/RequestOrigin", { defaultValue: () => ({ ipAddress: null, userAgent: null }) })
