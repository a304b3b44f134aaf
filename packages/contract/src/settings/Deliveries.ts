import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authentication, QueryValidation, RequestLimits } from "../v2/middleware.ts"
import { about, idParameter, noSuch } from "./fields.ts"
import { AdminAccess } from "./middleware.ts"
import { RecordingDeliveryQuery } from "./parameters.ts"
import { Delivery, DeliveryPage } from "./wire/Delivery.ts"
import { DeliveryExplanation } from "./wire/Explanation.ts"

const list = HttpApiEndpoint.get("list", "/deliveries", { query: RecordingDeliveryQuery, success: DeliveryPage })
  .annotateMerge(
    about(
      "deliveries.list",
      "List the deliveries of a recording",
      "Every delivery of the recording with its attempts, newest first, whichever automation sent it; also of automations " +
        "and recordings that are deleted."
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
      "Why a delivery, of an automation or an audit destination, is where it is: when it is tried next and why then, what the guard said, who called it off."
    )
  )
  .middleware(AdminAccess)

export class Deliveries extends HttpApiGroup.make("deliveries")
  .add(list, read, explain)
  .middleware(Authentication)
  .middleware(RequestLimits)
  .annotateMerge(
    OpenApi.annotations({
      title: "Deliveries",
      description: "Webhooks by their ids and recordings, and why one is not there yet; for admins only."
    })
  ) {}
