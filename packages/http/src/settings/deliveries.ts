import { settings } from "@tapedeck/contract"
import { DeliveryLog, Explanations, Statistics } from "@tapedeck/core"
import { parseIso } from "@tapedeck/domain"
import { Effect } from "effect"
import { deliveriesAsJson, deliveryFilter } from "./executionLog.ts"
import { settingsEndpointsOf } from "./idempotency.ts"
import { wireDelivery } from "./wire/delivery.ts"
import { wireDeliveryExplanation } from "./wire/explanation.ts"
import { wireStatistics } from "./wire/statistics.ts"

/** Endpoints of deliveries of every kind of receiver. */
export const deliveries = settingsEndpointsOf(settings.Api.groups.deliveries, {
  list: {
    answer: Effect.fnUntraced(function* ({ caller, query }) {
      const { ofAccount } = yield* DeliveryLog
      return yield* deliveriesAsJson(ofAccount(caller, deliveryFilter(query)))
    })
  },
  read: {
    answer: Effect.fnUntraced(function* ({ caller, params }) {
      const { get } = yield* DeliveryLog
      return wireDelivery(yield* get(caller, null, params.id))
    })
  },
  statistics: {
    answer: Effect.fnUntraced(function* ({ caller, query }) {
      const { read } = yield* Statistics
      const { audit_destination_id: destination, automation_id: automation, interval = "hour", since, until } = query
      const found = yield* read(caller, {
        interval,
        ...(automation !== undefined && { receiver: `a:${automation}` as const }),
        ...(destination !== undefined && { receiver: `d:${destination}` as const }),
        ...(since !== undefined && { since: parseIso(since)! }),
        ...(until !== undefined && { until: parseIso(until)! })
      })
      return wireStatistics(found)
    })
  },
  cancel: {
    answer: ({ caller, params }) =>
      Effect.map(
        DeliveryLog.use(({ cancel }) => cancel(caller, params.id)),
        wireDelivery
      )
  },
  explain: {
    answer: Effect.fnUntraced(function* ({ caller, params }) {
      const explanations = yield* Explanations
      return wireDeliveryExplanation(yield* explanations.delivery(caller, params.id))
    })
  }
})
