import type { AccountId, Instant, RedeliveryId } from "@tapedeck/domain"
import type { Redelivery } from "@tapedeck/domain/internal/delivery"
import { Clock, Effect } from "effect"
import type { Store } from "../Store.ts"
import { schedule } from "./deliveries.ts"
import type { MemoryState } from "./MemoryState.ts"
import type { Draft, WorldState } from "./WorldState.ts"

const redeliveriesOf = (state: WorldState, accountId: AccountId): ReadonlyArray<Redelivery> =>
  state.redeliveries
    .valuesArray()
    .filter(({ redelivery }) => redelivery.accountId === accountId)
    .sort((a, b) => b.sequence - a.sequence)
    .map(({ redelivery }) => redelivery)

const dueRedelivery = (state: WorldState, now: Instant): Redelivery | undefined => {
  for (const due of state.agenda.values()) {
    if (due.at > now) return undefined
    if (due.kind === "redelivery") return state.redeliveries.get(due.redeliveryId)?.redelivery
  }
  return undefined
}

const saveRedelivery = (draft: Draft, redelivery: Redelivery) => {
  const { id, state } = redelivery
  const before = draft.state.redeliveries.get(id)
  if (before?.place != null) draft.edit("agenda").delete(before.place)
  const place =
    state._tag === "Running" ? schedule(draft, { kind: "redelivery", at: state.dueAt, redeliveryId: id }) : null
  const sequence = before?.sequence ?? draft.count("redelivery_sequence")
  draft.edit("redeliveries").set(id, { sequence, redelivery, place })
}

const removeRedelivery = (draft: Draft, id: RedeliveryId) => {
  const before = draft.state.redeliveries.get(id)
  if (before?.place != null) draft.edit("agenda").delete(before.place)
  draft.edit("redeliveries").delete(id)
}

/** Redeliveries in memory. */
export const redeliveryRepository = ({ read, write }: MemoryState): Pick<Store, "redeliveries"> => ({
  redeliveries: {
    byId: (id) => read((state) => state.redeliveries.get(id)?.redelivery),
    ofAccount: (accountId) => read((state) => redeliveriesOf(state, accountId)),
    due: Effect.flatMap(Clock.currentTimeMillis, (ms) => read((state) => dueRedelivery(state, ms as Instant))),
    save: (redelivery) => write((draft) => saveRedelivery(draft, redelivery)),
    remove: (id) => write((draft) => removeRedelivery(draft, id))
  }
})
