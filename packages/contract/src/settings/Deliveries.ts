import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authentication, RequestLimits } from "../v2/middleware.ts"
import { about, idParameter, noSuch } from "./fields.ts"
import { AdminAccess } from "./middleware.ts"
import { DeliveryExplanation } from "./wire/Explanation.ts"

const explain = HttpApiEndpoint.get("explain", "/deliveries/:id/explain", {
  params: { id: idParameter("delivery") },
  success: DeliveryExplanation,
  error: noSuch("delivery")
})
  .annotateMerge(
    about(
      "explainDelivery",
      "Explain a delivery",
      "Why a delivery, of an automation or an audit destination, is where it is: when it is tried next and why then, what the guard said, who called it off."
    )
  )
  .middleware(AdminAccess)

export class Deliveries extends HttpApiGroup.make("deliveries")
  .add(explain)
  .middleware(Authentication)
  .middleware(RequestLimits)
  .annotateMerge(
    OpenApi.annotations({ title: "Deliveries", description: "Why a webhook is not there yet; for admins only." })
  ) {}
