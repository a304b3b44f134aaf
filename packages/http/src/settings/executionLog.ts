import type { settings } from "@tapedeck/contract"
import {
  type Caller,
  type CursorPage,
  DeliveryLog,
  type LogOptions,
  type LogOwner,
  ServiceConfig
} from "@tapedeck/core"
import { AutomationId, DestinationId, parseIso } from "@tapedeck/domain"
import { deliveryStateTag } from "@tapedeck/domain/delivery"
import { Effect } from "effect"
import { jsonPieces, listBody, listedJson, type ReadyJson, wireCursorPage } from "../responses.ts"
import { wireDelivery } from "./wire/delivery.ts"

type DeliveryQuery = typeof settings.AccountDeliveryQuery.Type

/** The contract has checked each. */
export const deliveryFilter = (query: DeliveryQuery): LogOptions<ReadyJson> => {
  const { audit_destination_id: destination, automation_id: automation, cursor, event, since, state, until } = query
  return {
    each: (delivery) => listedJson(wireDelivery(delivery)),
    ...(state !== undefined && { state: deliveryStateTag(state) }),
    ...(automation !== undefined && { automationId: AutomationId.make(automation) }),
    ...(destination !== undefined && { destinationId: DestinationId.make(destination) }),
    ...(query.recording_uuid !== undefined && { recordingUuid: query.recording_uuid }),
    ...(event !== undefined && { event }),
    ...(query.status_code !== undefined && { statusCode: query.status_code }),
    ...(since !== undefined && { since: parseIso(since)! }),
    ...(until !== undefined && { until: parseIso(until)! }),
    ...(cursor !== undefined && { cursor })
  }
}

interface OfOwner {
  readonly caller: Caller
  readonly params: { readonly id: string }
}

interface OfDelivery {
  readonly caller: Caller
  readonly params: { readonly id: string; readonly delivery_id: string }
}

interface PageOfOwner extends OfOwner {
  readonly query: DeliveryQuery
}

/** A page of deliveries, each of which became JSON before the next ones were read. */
export const deliveriesAsJson = <E, R>(deliveryPage: Effect.Effect<CursorPage<ReadyJson>, E, R>) =>
  Effect.zipWith(deliveryPage, ServiceConfig, (page, { pageSize }) =>
    jsonPieces(listBody(wireCursorPage(page, pageSize), page.items, "deliveries"))
  )

/** The execution log of an automation or an audit destination (Events): the two have the same endpoints. */
export const executionLog = (kind: LogOwner["kind"]) => ({
  list: Effect.fnUntraced(function* ({ caller, params, query }: PageOfOwner) {
    const { list } = yield* DeliveryLog
    return yield* deliveriesAsJson(list(caller, { kind, id: params.id }, deliveryFilter(query)))
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
