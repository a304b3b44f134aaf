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
      "Every delivery of the account with its attempts, newest first, whichever automation or audit destination it is of; also of " +
        "automations and recordings that are deleted. With filters a page may have fewer deliveries than `items`, or none, and a " +
        "`next_cursor`: each looks at 10,000 deliveries, and so many are counted."
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
      "Get any delivery",
      "One delivery with its attempts, of an automation or an audit destination, also of one that is deleted."
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
      "Why a delivery is in its state: its next attempt and the reason for the time, the guard's reason, the cause of a cancellation."
    )
  )
  .middleware(AdminAccess)

const cancel = HttpApiEndpoint.post("cancel", "/deliveries/:id/cancel", {
  params: { id: idParameter("delivery") },
  headers: idempotencyKey,
  success: Delivery,
  error: [noSuch("delivery"), errorV2("Conflict", "The delivery was delivered, or failed for good.")]
})
  .annotateMerge(
    about(
      "deliveries.cancel",
      "Call off a delivery",
      "Nothing more is sent. An attempt in flight ends, and is not repeated. A delivery that is called off already stays as it is.",
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
      "Attempts by result, and percentiles of their durations, by interval and by receiver; send-tests are not counted. Counters are " +
        "kept by hour, for 90 days. The period begins with the interval of `since` and ends with that of `until`."
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
      description: "Webhooks by their ids and recordings, and why one is not there yet; for admins only."
    })
  ) {}
