import { SessionId } from "@tapedeck/domain"
import { Effect } from "effect"
import { Unauthenticated } from "../../errors.ts"
import { now } from "../../now.ts"
import { type Store, storeOf } from "../../store/Store.ts"
import type { Caller } from "../Caller.ts"

/**
 * Fails unless the caller still has the authority with which the request began: the user is active and has the same role, and the
 * session has not ended, or the token is not revoked and the account has API access. A request may take long (its body is slow, a
 * password is hashed), and a reset password or a deactivation meanwhile has to win. Belongs inside the transaction of what the caller changes.
 */
const requireCurrent = Effect.fnUntraced(function* (
  store: Pick<Store, "accounts" | "sessions" | "tokens" | "users">,
  { account, kind, tokenId, user }: Caller
) {
  const current = yield* store.users.byId(user.id)
  if (current?.active !== true || current.role !== user.role) return yield* new Unauthenticated()
  const token = yield* store.tokens.byId(tokenId)
  if (token !== undefined) {
    const hasAccess = kind === "session" || (yield* store.accounts.byId(account.id))?.apiAccess === true
    return token.revokedAt === null && hasAccess ? undefined : yield* new Unauthenticated()
  }
  const session = (yield* store.sessions.ofUser(user.id)).find(({ id }) => id === SessionId.make(tokenId))
  if (session === undefined || (yield* now) >= session.expiresAt) return yield* new Unauthenticated()
})

/** Transactions of a caller, in which `requireCurrent` holds. */
export const writer = Effect.map(
  storeOf("accounts", "sessions", "tokens", "transaction", "users"),
  (store) =>
    <A, E, R>(caller: Caller, body: Effect.Effect<A, E, R>) =>
      store.transaction(Effect.andThen(requireCurrent(store, caller), body))
)
