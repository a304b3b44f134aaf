import { Effect } from "effect"
import { maxPruned, type StoredResponse, type StoredResponsePruning } from "../idempotencyKeys.ts"
import type { Store } from "../Store.ts"
import type { MemoryState } from "./MemoryState.ts"
import type { Draft, NumberedResponse, WorldState } from "./WorldState.ts"

const findResponse = (state: WorldState, id: string): StoredResponse | undefined => {
  const found = state.storedResponses.get(id)
  if (found === undefined) return undefined
  const { number: _, ...answer } = found
  return answer
}

/** The newest has the highest number. */
const saveResponse = (draft: Draft, answer: StoredResponse) =>
  void draft.edit("storedResponses").set(answer.id, { ...answer, number: draft.count("kept_answer") })

const pruneResponses = (draft: Draft, { caller, maxPerCaller, now }: StoredResponsePruning) => {
  const all = draft.state.storedResponses.valuesArray()
  const expired = all.filter(({ expiresAt }) => expiresAt <= now).sort((a, b) => a.expiresAt - b.expiresAt)
  remove(draft, expired.slice(0, maxPruned))
  // Runs with each keyed request: nothing is sorted until there are too many.
  if (all.length <= maxPerCaller) return
  const theirs = all.filter((answer) => answer.caller === caller).sort((a, b) => b.number - a.number)
  remove(draft, theirs.slice(maxPerCaller, maxPerCaller + maxPruned))
}

const remove = (draft: Draft, answers: ReadonlyArray<NumberedResponse>) => {
  for (const { id } of answers) draft.edit("storedResponses").delete(id)
}

/** Answers by their idempotency key in memory. Only one transaction is open at a time. */
export const idempotencyKeyRepository = ({ read, write }: MemoryState): Pick<Store, "idempotencyKeys"> => ({
  idempotencyKeys: {
    // Only one transaction is open at a time.
    lock: () => Effect.succeed(true),
    byId: (id) => read((state) => findResponse(state, id)),
    save: (answer) => write((draft) => saveResponse(draft, answer)),
    prune: (options) => write((draft) => pruneResponses(draft, options))
  }
})
