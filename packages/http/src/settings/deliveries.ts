import { settings } from "@tapedeck/contract"
import { DeliveryLog, Explanations } from "@tapedeck/core"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { CurrentCaller } from "../CurrentCaller.ts"
import { pageOfDeliveries } from "./executionLog.ts"
import { refused } from "./refusals.ts"
import { inState, wireDelivery } from "./wire/delivery.ts"
import { wireDeliveryExplanation } from "./wire/explanation.ts"

/** What can be asked of a delivery, whoever it goes to. */
export const deliveries = HttpApiBuilder.group(settings.Api, "deliveries", (handlers) =>
  handlers
    .handle(
      "list",
      Effect.fnUntraced(function* ({ query }) {
        const { ofRecording } = yield* DeliveryLog
        const options = { page: query.page ?? 1, ...inState(query.state) }
        return pageOfDeliveries(yield* ofRecording(yield* CurrentCaller, query.recording_uuid, options))
      })
    )
    .handle(
      "read",
      Effect.fnUntraced(function* ({ params }) {
        const { get } = yield* DeliveryLog
        return wireDelivery(yield* Effect.mapError(get(yield* CurrentCaller, null, params.id), refused))
      })
    )
    .handle(
      "explain",
      Effect.fnUntraced(function* ({ params }) {
        const explanations = yield* Explanations
        const found = explanations.delivery(yield* CurrentCaller, params.id)
        return wireDeliveryExplanation(yield* Effect.mapError(found, refused))
      })
    )
)
