import { Effect } from "effect"
import type { Counters } from "./counters.ts"

/** How many places are taken from the database at a time. */
const BLOCK = 1_000

/**
 * Gives each place on the agenda a higher number than all before it: first in, first out among what falls due at the same
 * instant. Processes have blocks of their own; what a failed transaction took, and what is left of a block at the end, is never given.
 */
export const makeAgendaOrder = (counters: Counters): Effect.Effect<number> => {
  let next = 0
  let end = 0
  const nextBlock = Effect.map(Effect.orDie(counters.next("agenda_block")), (block) => {
    // Of two that were asked for at the same time, the lower one may come last: it is left out.
    if (block * BLOCK < next) return
    next = block * BLOCK
    end = next + BLOCK
  })
  const take: Effect.Effect<number> = Effect.suspend(() =>
    next < end ? Effect.succeed(next++) : Effect.andThen(nextBlock, take)
  )
  return take
}
