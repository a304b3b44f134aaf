import { settings } from "@tapedeck/contract"
import { DeliveryLog, Explanations } from "@tapedeck/core"
import { Effect } from "effect"
import { pageOfDeliveries } from "./executionLog.ts"
import { settingsEndpointsOf } from "./idempotency.ts"
import { inState, wireDelivery } from "./wire/delivery.ts"
import { wireDeliveryExplanation } from "./wire/explanation.ts"

/** What can be asked of a delivery, whoever it goes to. */
export const deliveries = settingsEndpointsOf(settings.Api.groups.deliveries, {
  list: {
    operation: "deliveries.list",
    answer: Effect.fnUntraced(function* ({ caller, query }) {
      const { ofRecording } = yield* DeliveryLog
      const options = { page: query.page ?? 1, ...inState(query.state) }
      return pageOfDeliveries(yield* ofRecording(caller, query.recording_uuid, options))
    })
  },
  read: {
    operation: "deliveries.read",
    answer: Effect.fnUntraced(function* ({ caller, params }) {
      const { get } = yield* DeliveryLog
      return wireDelivery(yield* get(caller, null, params.id))
    })
  },
  explain: {
    operation: "deliveries.explain",
    answer: Effect.fnUntraced(function* ({ caller, params }) {
      const explanations = yield* Explanations
      return wireDeliveryExplanation(yield* explanations.delivery(caller, params.id))
    })
  }
})
