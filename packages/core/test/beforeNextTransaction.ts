import { Effect } from "effect"
import type { Store } from "../src/index.ts"

/** The next transaction waits until `meanwhile` is done: what a use case read before it is out of date then. */
export const beforeNextTransaction = (store: Store, meanwhile: () => Promise<unknown>) => {
  const { transaction } = store
  const waiting: typeof transaction = (body) =>
    Effect.suspend(() => {
      Object.assign(store, { transaction })
      return Effect.andThen(Effect.promise(meanwhile), transaction(body))
    })
  Object.assign(store, { transaction: waiting })
}
