import { Effect } from "effect"
import { type Numbered, Store } from "../Store.ts"

/** Gives the next numbers of a kind that are neither taken in the world nor given in the document. */
export const freeNumber = (
  kind: Numbered,
  entries: ReadonlyArray<{ readonly id?: number | undefined } | undefined>
) => {
  const given = new Set(entries.map((entry) => entry?.id))
  return Effect.gen(function* () {
    const store = yield* Store
    let number = yield* store.nextNumber(kind)
    while (given.has(number)) number = yield* store.nextNumber(kind)
    return number
  })
}
