import { Effect } from "effect"
import type { Counters } from "./counters.ts"

/** How many places are taken from the database at a time. */
const BLOCK = 1_000

/**
 * Gives each place on the agenda a higher number than all before it: first in, first out among what falls due at the same
 * instant. Only one process gives them; what a failed transaction took, and what is left of a block at the end, is never given.
 */
export const makeAgendaOrder = (counters: Counters): Effect.Effect<number> => {
  let next = 0
  let end = 0
  const nextBlock = Effect.map(Effect.orDie(counters.next("agenda_block")), (block) => {
    next = Math.max(next, block * BLOCK)
    end = next + BLOCK
  })
  const take = Effect.sync(() => next++)
  return Effect.suspend(() => (next < end ? take : Effect.andThen(nextBlock, take)))
}
