/**
 * Long synchronous work in slices. It yields the number of characters that it has read or written since the last yield, so that the
 * caller can run other work in between.
 */
export type Sliced<Result> = Generator<number, Result, void>

/** Maps items by sliced work. */
export function* mapSliced<Item, Result>(
  items: Iterable<Item>,
  map: (item: Item) => Sliced<Result>
): Sliced<ReadonlyArray<Result>> {
  const results: Array<Result> = []
  for (const item of items) results.push(yield* map(item))
  return results
}

/** Runs sliced work without a pause. Returns its result. */
export const atOnce = <Result>(work: Sliced<Result>): Result => {
  let step = work.next()
  while (step.done !== true) step = work.next()
  return step.value
}
