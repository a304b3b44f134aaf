import type { Account, TokenId, User } from "@tapedeck/domain"
import { Context } from "effect"

/** The caller of an operation: the user of an access token or a session, and the user's account. */
export interface Caller {
  readonly user: User
  readonly account: Account
  readonly tokenId: TokenId
  /** A session has permissions that a token lacks: it can create tokens, and works while API access is off (S1). */
  readonly kind: "access" | "session"
}

/** The origin of a request, for the audit log. Null if it did not arrive over the network. */
export const RequestOrigin = Context.Reference<{
  readonly ipAddress: string | null
  readonly userAgent: string | null
}>("@tapedeck/core/RequestOrigin", { defaultValue: () => ({ ipAddress: null, userAgent: null }) })
