import { type KeptAnswer, type KeptAnswerPruning, prunedAtOnce } from "../store/idempotencyKeys.ts"
import type { Draft, NumberedAnswer, WorldState } from "./WorldState.ts"

export const findAnswer = (state: WorldState, id: string): KeptAnswer | undefined => {
  const found = state.keptAnswers.get(id)
  if (found === undefined) return undefined
  const { number: _, ...answer } = found
  return answer
}

/** The newest has the highest number. */
export const saveAnswer = (draft: Draft, answer: KeptAnswer) =>
  void draft.edit("keptAnswers").set(answer.id, { ...answer, number: draft.count("kept_answer") })

export const pruneAnswers = (draft: Draft, { caller, maxPerCaller, now }: KeptAnswerPruning) => {
  const all = draft.state.keptAnswers.valuesArray()
  const expired = all.filter(({ expiresAt }) => expiresAt <= now).sort((a, b) => a.expiresAt - b.expiresAt)
  remove(draft, expired.slice(0, prunedAtOnce))
  // With each keyed request: there is nothing to sort until there are too many.
  if (all.length <= maxPerCaller) return
  const theirs = all.filter((answer) => answer.caller === caller).sort((a, b) => b.number - a.number)
  remove(draft, theirs.slice(maxPerCaller, maxPerCaller + prunedAtOnce))
}

const remove = (draft: Draft, answers: ReadonlyArray<NumberedAnswer>) => {
  for (const { id } of answers) draft.edit("keptAnswers").delete(id)
}
