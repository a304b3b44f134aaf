import type { User, UserId } from "@tapedeck/domain"
import { Effect } from "effect"
import type { Store } from "../store/Store.ts"

/** The users of a list's items, by id, in one read. `known` are not read; a user that is gone is in no entry. */
export const usersOf = (
  store: Pick<Store, "users">,
  ids: Iterable<number | null>,
  known?: User
): Effect.Effect<ReadonlyMap<number, User>> => {
  const found = new Map<number, User>(known === undefined ? [] : [[known.id, known]])
  const missing = [...new Set(ids)].filter((id): id is UserId => id !== null && !found.has(id))
  if (missing.length === 0) return Effect.succeed(found)
  return Effect.map(store.users.byIds(missing), (users) => {
    for (const user of users) found.set(user.id, user)
    return found
  })
}
