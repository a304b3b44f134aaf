import type { settings } from "@tapedeck/contract"
import { type Caller, DeliveryLog, type LogOwner, type Page } from "@tapedeck/core"
import type { DeliveryStateName, ListedDelivery } from "@tapedeck/domain"
import { Effect } from "effect"
import { wirePagination } from "../wire/lists.ts"
import { inState, wireDelivery } from "./wire/delivery.ts"

interface OfOwner {
  readonly caller: Caller
  readonly params: { readonly id: string }
}

interface OfDelivery {
  readonly caller: Caller
  readonly params: { readonly id: string; readonly delivery_id: string }
}

interface PageOfOwner extends OfOwner {
  readonly query: { readonly page?: number; readonly state?: DeliveryStateName }
}

export const pageOfDeliveries = ({ items, pagination }: Page<ListedDelivery>): settings.DeliveryPage => ({
  pagination: wirePagination(pagination),
  deliveries: items.map(wireDelivery)
})

/** The execution log of an automation or an audit destination (Events): the two have the same endpoints. */
export const executionLog = (kind: LogOwner["kind"]) => ({
  list: Effect.fnUntraced(function* ({ caller, params, query }: PageOfOwner) {
    const { list } = yield* DeliveryLog
    const options = { page: query.page ?? 1, ...inState(query.state) }
    return pageOfDeliveries(yield* list(caller, { kind, id: params.id }, options))
  }),
  get: Effect.fnUntraced(function* ({ caller, params }: OfDelivery) {
    const { get } = yield* DeliveryLog
    return wireDelivery(yield* get(caller, { kind, id: params.id }, params.delivery_id))
  }),
  redeliver: Effect.fnUntraced(function* ({ caller, params }: OfDelivery) {
    const { redeliver } = yield* DeliveryLog
    return wireDelivery(yield* redeliver(caller, { kind, id: params.id }, params.delivery_id))
  })
})
