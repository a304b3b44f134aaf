import { Effect } from "effect"

/** The size of results after which other fibers run: some milliseconds of JSON. */
const maxSizeAtOnce = 256 * 1024

/**
 * Maps items in order. Other fibers run each time the results since have reached 256 KiB (in bytes or characters, as `sizeOf` counts
 * them), so that a large page does not delay other requests.
 */
export const mapYielding = <Item, Result>(
  items: ReadonlyArray<Item>,
  map: (item: Item) => Result,
  sizeOf: (result: Result, item: Item) => number
): Effect.Effect<ReadonlyArray<Result>> =>
  Effect.suspend(() => {
    const results: Array<Result> = []
    const rest = (): Effect.Effect<ReadonlyArray<Result>> => {
      let size = 0
      while (results.length < items.length) {
        if (size >= maxSizeAtOnce) return Effect.flatMap(Effect.yieldNow, rest)
        const item = items[results.length]!
        const result = map(item)
        results.push(result)
        size += sizeOf(result, item)
      }
      return Effect.succeed(results)
    }
    return rest()
  })
