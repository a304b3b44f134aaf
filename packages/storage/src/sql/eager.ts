import { Effect, Exit } from "effect"

/**
 * As `Effect.forEach`, for items of which nearly all are answered at once: those cost no more than in a loop. `f` is called
 * as this is.
 */
export const forEachEager = <Item, A, E>(
  items: ReadonlyArray<Item>,
  f: (item: Item, index: number) => Effect.Effect<A, E>
): Effect.Effect<Array<A>, E> => {
  const answers: Array<A> = []
  for (let index = 0; index < items.length; index++) {
    const answer = f(items[index]!, index)
    if (!isKnown(answer)) return theRest(items, f, answers, answer)
    answers.push(answer.value)
  }
  return Effect.succeed(answers)
}

const isKnown = <A, E>(effect: Effect.Effect<A, E>): effect is Exit.Success<A, E> =>
  Exit.isExit(effect) && Exit.isSuccess(effect)

const theRest = <Item, A, E>(
  items: ReadonlyArray<Item>,
  f: (item: Item, index: number) => Effect.Effect<A, E>,
  answers: Array<A>,
  next: Effect.Effect<A, E>
): Effect.Effect<Array<A>, E> =>
  Effect.gen(function* () {
    const all = [...answers, yield* next]
    while (all.length < items.length) all.push(yield* f(items[all.length]!, all.length))
    return all
  })
