import { Context, Effect } from "effect"
import type { Store } from "../src/index.ts"

const InTransaction = Context.Reference<boolean>("@tapedeck/core/test/InTransaction", { defaultValue: () => false })

/** A store's `transaction`, inside of which `overNetwork` dies. */
export const withoutNetwork =
  (transaction: Store["transaction"]): Store["transaction"] =>
  (body) =>
    transaction(Effect.provideService(body, InTransaction, true))

/**
 * What a real service does over the network. It would hold a connection to the database, and locks, for as long as the other side
 * takes, and would do it again where the transaction runs again.
 */
export const overNetwork = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(InTransaction, (isInside) =>
    isInside ? Effect.die(new Error("nothing is sent inside a transaction")) : effect
  )
