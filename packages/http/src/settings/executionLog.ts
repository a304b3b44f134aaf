import type { settings } from "@tapedeck/contract"
import {
  type Caller,
  type CursorPage,
  DeliveryLog,
  type LogOptions,
  type LogOwner,
  mapYielding,
  ServiceConfig
} from "@tapedeck/core"
import {
  AutomationId,
  type Delivery,
  DestinationId,
  normalizedTicketId,
  parseIso,
  platformOnWire,
  type RecordingUuid
} from "@tapedeck/domain"
import { deliveryStateTag } from "@tapedeck/domain/delivery"
import { Effect } from "effect"
import { jsonPieces, listBody, readyJson, wireCursorPage } from "../responses.ts"
import { wireDelivery } from "./wire/delivery.ts"

type DeliveryQuery = typeof settings.AccountDeliveryQuery.Type

/** A delivery as JSON, without its recording. */
interface DeliveryJson {
  readonly recordingUuid: RecordingUuid | null
  readonly json: string
}

/** The contract has checked each. */
export const deliveryFilter = (query: DeliveryQuery): LogOptions<DeliveryJson> => {
  const { audit_destination_id: destination, automation_id: automation, cursor, event, since, state, until } = query
  return {
    each: (delivery) => ({
      recordingUuid: delivery.recordingUuid,
      json: JSON.stringify(wireDelivery(delivery))
    }),
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

/** The recordings of deliveries, by their UUIDs: the function returns null for a deleted one, and for none. */
const recordingsOf = Effect.fnUntraced(function* (caller: Caller, uuids: ReadonlyArray<RecordingUuid | null>) {
  const log = yield* DeliveryLog
  const { vendor } = yield* ServiceConfig
  const recordings = yield* log.recordingsOf(caller, uuids)
  return (uuid: RecordingUuid | null): NonNullable<settings.Delivery["recording"]> | null => {
    const recording = uuid === null ? undefined : recordings.get(uuid)
    if (recording === undefined) return null
    const { helpdesk, title } = recording
    return { title, platform: platformOnWire(helpdesk.platform, vendor), ticket_id: normalizedTicketId(helpdesk) }
  }
})

/** A delivery with its recording. */
export const deliveryWithRecording = Effect.fnUntraced(function* (caller: Caller, delivery: Delivery) {
  const recordingOf = yield* recordingsOf(caller, [delivery.recordingUuid])
  return { ...wireDelivery(delivery), recording: recordingOf(delivery.recordingUuid) }
})

/** A page of deliveries, each of which became JSON before the next ones were read. */
export const deliveriesAsJson = Effect.fnUntraced(function* <E, R>(
  caller: Caller,
  deliveryPage: Effect.Effect<CursorPage<DeliveryJson>, E, R>
) {
  const { pageSize } = yield* ServiceConfig
  const page = yield* deliveryPage
  const recordingOf = yield* recordingsOf(
    caller,
    page.items.map(({ recordingUuid }) => recordingUuid)
  )
  const deliveries = yield* mapYielding(
    page.items,
    ({ json, recordingUuid }) =>
      readyJson(`${json.slice(0, -1)},"recording":${JSON.stringify(recordingOf(recordingUuid))}}`),
    ({ bytes }) => bytes.length
  )
  return jsonPieces(listBody(wireCursorPage(page, pageSize), deliveries, "deliveries"))
})

/** The execution log of an automation or an audit destination (Events): the two have the same endpoints. */
export const executionLog = (kind: LogOwner["kind"]) => ({
  list: Effect.fnUntraced(function* ({ caller, params, query }: PageOfOwner) {
    const { list } = yield* DeliveryLog
    return yield* deliveriesAsJson(caller, list(caller, { kind, id: params.id }, deliveryFilter(query)))
  }),
  get: Effect.fnUntraced(function* ({ caller, params }: OfDelivery) {
    const { get } = yield* DeliveryLog
    return yield* deliveryWithRecording(caller, yield* get(caller, { kind, id: params.id }, params.delivery_id))
  }),
  redeliver: Effect.fnUntraced(function* ({ caller, params }: OfDelivery) {
    const { redeliver } = yield* DeliveryLog
    return wireDelivery(yield* redeliver(caller, { kind, id: params.id }, params.delivery_id))
  })
})
