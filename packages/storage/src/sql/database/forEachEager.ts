import { Effect, Exit } from "effect"

/**
 * `Effect.forEach` for effects that are almost all known at once, in the sense of `Effect.mapEager`: these cost no more than a
 * loop. Calls `f` immediately.
 */
export const forEachEager = <Item, A, E>(
  items: ReadonlyArray<Item>,
  f: (item: Item, index: number) => Effect.Effect<A, E>
): Effect.Effect<Array<A>, E> => {
  const results: Array<A> = []
  for (let index = 0; index < items.length; index++) {
    const result = f(items[index]!, index)
    if (!isKnown(result)) return forRest(items, f, results, result)
    results.push(result.value)
  }
  return Effect.succeed(results)
}

const isKnown = <A, E>(effect: Effect.Effect<A, E>): effect is Exit.Success<A, E> =>
  Exit.isExit(effect) && Exit.isSuccess(effect)

const forRest = <Item, A, E>(
  items: ReadonlyArray<Item>,
  f: (item: Item, index: number) => Effect.Effect<A, E>,
  results: Array<A>,
  next: Effect.Effect<A, E>
): Effect.Effect<Array<A>, E> =>
  Effect.gen(function* () {
    const all = [...results, yield* next]
    while (all.length < items.length) all.push(yield* f(items[all.length]!, all.length))
    return all
  })
