import type { AccountId } from "@tapedeck/domain"
import type { Redelivery } from "@tapedeck/domain/internal/delivery"
import type { Store } from "../Store.ts"
import type { MemoryState } from "./MemoryState.ts"
import type { Draft, WorldState } from "./WorldState.ts"

const redeliveriesOf = (state: WorldState, accountId: AccountId): ReadonlyArray<Redelivery> =>
  state.redeliveries
    .valuesArray()
    .filter(({ redelivery }) => redelivery.accountId === accountId)
    .sort((a, b) => b.sequence - a.sequence)
    .map(({ redelivery }) => redelivery)

const saveRedelivery = (draft: Draft, redelivery: Redelivery) => {
  const { id } = redelivery
  const sequence = draft.state.redeliveries.get(id)?.sequence ?? draft.count("redelivery_sequence")
  draft.edit("redeliveries").set(id, { sequence, redelivery })
}

/** Redeliveries in memory. */
export const redeliveryRepository = ({ read, write }: MemoryState): Pick<Store, "redeliveries"> => ({
  redeliveries: {
    byId: (id) => read((state) => state.redeliveries.get(id)?.redelivery),
    ofAccount: (accountId) => read((state) => redeliveriesOf(state, accountId)),
    save: (redelivery) => write((draft) => saveRedelivery(draft, redelivery)),
    remove: (id) => write((draft) => void draft.edit("redeliveries").delete(id))
  }
})
