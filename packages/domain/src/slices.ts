/**
 * Long synchronous work in slices: it yields the number of characters that it has read or written since its last yield, so that its
 * caller can let other work run in between.
 */
export type Sliced<Result> = Generator<number, Result, void>

/** Maps items, each by sliced work. */
export function* mapSliced<Item, Result>(
  items: Iterable<Item>,
  map: (item: Item) => Sliced<Result>
): Sliced<ReadonlyArray<Result>> {
  const results: Array<Result> = []
  for (const item of items) results.push(yield* map(item))
  return results
}

/** The result of sliced work, computed without a pause. */
export const atOnce = <Result>(work: Sliced<Result>): Result => {
  let step = work.next()
  while (step.done !== true) step = work.next()
  return step.value
}
