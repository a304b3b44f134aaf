import { settings } from "@tapedeck/contract"
import { Explanations } from "@tapedeck/core"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { CurrentCaller } from "../CurrentCaller.ts"
import { refused } from "./refusals.ts"
import { wireDeliveryExplanation } from "./wire/explanation.ts"

/** What can be asked of a delivery, whoever it goes to. */
export const deliveries = HttpApiBuilder.group(settings.Api, "deliveries", (handlers) =>
  handlers.handle(
    "explain",
    Effect.fnUntraced(function* ({ params }) {
      const explanations = yield* Explanations
      const found = explanations.delivery(yield* CurrentCaller, params.id)
      return wireDeliveryExplanation(yield* Effect.mapError(found, refused))
    })
  )
)
