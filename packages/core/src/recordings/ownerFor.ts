import { Effect } from "effect"
import type { Caller } from "../people/Caller.ts"
import type { Store } from "../store/Store.ts"

/** Returns the owner that an input names by e-mail address: the caller if it names none, undefined if it is no user of the account. */
export const ownerFor = Effect.fnUntraced(function* (
  { users }: Pick<Store, "users">,
  caller: Caller,
  email: string | null | undefined
) {
  if (email === undefined) return caller.user
  const user = email === null ? null : yield* users.byEmail(email)
  return user === null || user?.accountId === caller.account.id ? user : undefined
})
