import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { about } from "../about.ts"
import { errorV2 } from "../errors.ts"
import { Authentication, QueryValidation, RequestLimits } from "../v2/middleware.ts"
import { idParameter, noSuch } from "./fields.ts"
import { AdminAccess, IdempotentPost } from "./middleware.ts"
import { AccountDeliveryQuery, idempotencyKey, StatisticsQuery } from "./parameters.ts"
import { Delivery, DeliveryPage } from "./wire/Delivery.ts"
import { DeliveryExplanation } from "./wire/Explanation.ts"
import { Statistics } from "./wire/Statistics.ts"

const list = HttpApiEndpoint.get("list", "/deliveries", { query: AccountDeliveryQuery, success: DeliveryPage })
  .annotateMerge(
    about(
      "deliveries.list",
      "List deliveries",
      "Lists the deliveries of all automations and audit destinations of the account, with their attempts, newest first, including " +
        "deliveries of deleted automations and recordings. With filters, a page examines at most 10,000 deliveries, and `count` counts at " +
        "most 10,000: a page can have fewer deliveries than `items`, or none, and still have a `next_cursor`."
    )
  )
  .middleware(QueryValidation)
  .middleware(AdminAccess)

const read = HttpApiEndpoint.get("read", "/deliveries/:id", {
  params: { id: idParameter("delivery") },
  success: Delivery,
  error: noSuch("delivery")
})
  .annotateMerge(
    about(
      "deliveries.get",
      "Get a delivery",
      "Returns a delivery of any automation or audit destination, which may be deleted, with its attempts."
    )
  )
  .middleware(AdminAccess)

const explain = HttpApiEndpoint.get("explain", "/deliveries/:id/explain", {
  params: { id: idParameter("delivery") },
  success: DeliveryExplanation,
  error: noSuch("delivery")
})
  .annotateMerge(
    about(
      "deliveries.explain",
      "Explain a delivery",
      "Returns the reason for the state of a delivery: its next attempt and the reason for its time, the address guard's reason for a block, and the cause of a cancellation."
    )
  )
  .middleware(AdminAccess)

const cancel = HttpApiEndpoint.post("cancel", "/deliveries/:id/cancel", {
  params: { id: idParameter("delivery") },
  headers: idempotencyKey,
  success: Delivery,
  error: [noSuch("delivery"), errorV2("Conflict", "The delivery was delivered, or failed permanently.")]
})
  .annotateMerge(
    about(
      "deliveries.cancel",
      "Cancel a delivery",
      "Cancels a delivery: no more attempts are made. An attempt in flight ends, and is not retried. Cancelling a cancelled delivery changes nothing.",
      "automation.delivery_cancelled",
      "audit_destination.delivery_cancelled"
    )
  )
  .middleware(IdempotentPost)
  .middleware(AdminAccess)

const statistics = HttpApiEndpoint.get("statistics", "/statistics", { query: StatisticsQuery, success: Statistics })
  .annotateMerge(
    about(
      "deliveries.statistics",
      "Count attempts",
      "Returns the number of attempts by result, and percentiles of their durations, by interval and by receiver, without send-tests. " +
        "Counters are stored by hour, for 90 days. The period starts with the interval of `since`, and ends with that of `until`."
    )
  )
  .middleware(QueryValidation)
  .middleware(AdminAccess)

export class Deliveries extends HttpApiGroup.make("deliveries")
  .add(list, read, explain, cancel, statistics)
  .middleware(Authentication)
  .middleware(RequestLimits)
  .annotateMerge(
    OpenApi.annotations({
      title: "Deliveries",
      description:
        "Deliveries of all automations and audit destinations, their explanations and statistics; for admins only."
    })
  ) {}
