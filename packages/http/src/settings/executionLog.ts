import type { settings } from "@tapedeck/contract"
import { DeliveryLog, type LogOwner, type Page } from "@tapedeck/core"
import type { DeliveryStateName, ListedDelivery } from "@tapedeck/domain"
import { Effect } from "effect"
import { CurrentCaller } from "../CurrentCaller.ts"
import { wirePagination } from "../wire/pagination.ts"
import { refused } from "./refusals.ts"
import { inState, wireDelivery } from "./wire/delivery.ts"

interface OfOwner {
  readonly params: { readonly id: string }
}

interface OfDelivery {
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
  list: Effect.fnUntraced(function* ({ params, query }: PageOfOwner) {
    const { list } = yield* DeliveryLog
    const options = { page: query.page ?? 1, ...inState(query.state) }
    const page = yield* Effect.mapError(list(yield* CurrentCaller, { kind, id: params.id }, options), refused)
    return pageOfDeliveries(page)
  }),
  get: Effect.fnUntraced(function* ({ params }: OfDelivery) {
    const { get } = yield* DeliveryLog
    const found = get(yield* CurrentCaller, { kind, id: params.id }, params.delivery_id)
    return wireDelivery(yield* Effect.mapError(found, refused))
  }),
  redeliver: Effect.fnUntraced(function* ({ params }: OfDelivery) {
    const { redeliver } = yield* DeliveryLog
    const again = redeliver(yield* CurrentCaller, { kind, id: params.id }, params.delivery_id)
    return wireDelivery(yield* Effect.mapError(again, refused))
  })
})
