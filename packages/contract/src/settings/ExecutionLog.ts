import { HttpApiEndpoint } from "effect/http-api"
import { about } from "../about.ts"
import { errorV2 } from "../errors.ts"
import { QueryValidation } from "../v2/middleware.ts"
import { created, idParameter, noSuch } from "./fields.ts"
import { AdminAccess, IdempotentPost } from "./middleware.ts"
import { DeliveryQuery, idempotencyKey } from "./parameters.ts"
import { Delivery, DeliveryPage, SendTest } from "./wire/Delivery.ts"
import { Secret } from "./wire/Webhook.ts"

/** Whose endpoints: `what` for people, `operation` in operation ids, `path` below the root. */
interface Owner<Path extends `/${string}`, Kind extends "automation" | "audit_destination"> {
  /** The subject of its audit events. */
  readonly kind: Kind
  readonly what: string
  readonly operation: string
  /** What a send-test sends. */
  readonly sample: string
  readonly path: Path
}

/** What automations and audit destinations have in common: their secret, the send-test, the execution log. */
export const deliveryEndpoints = <
  const Path extends `/${string}`,
  const Kind extends "automation" | "audit_destination"
>({
  kind,
  operation,
  path,
  sample,
  what
}: Owner<Path, Kind>) => {
  const params = { id: idParameter(what) }
  const ofDelivery = { ...params, delivery_id: idParameter("delivery") }
  const viewSecret = HttpApiEndpoint.get("view_secret", `${path}/:id/secret`, {
    params,
    success: Secret,
    error: noSuch(what)
  })
    .annotateMerge(
      about(
        `${operation}.viewSecret`,
        "View the secret",
        "The one call that shows it, to be copied to the receiver.",
        `${kind}.secret_viewed`
      )
    )
    .middleware(AdminAccess)
  const test = HttpApiEndpoint.post("test", `${path}/:id/test`, { params, success: SendTest, error: noSuch(what) })
    .annotateMerge(
      about(
        `${operation}.test`,
        "Send a test",
        `Sends ${sample} once, now, also if the ${what} is disabled, and returns the result. It is in the log, marked as a test.`,
        `${kind}.tested`
      )
    )
    .middleware(AdminAccess)
  const deliveries = HttpApiEndpoint.get("deliveries", `${path}/:id/deliveries`, {
    params,
    query: DeliveryQuery,
    success: DeliveryPage,
    error: noSuch(what)
  })
    .annotateMerge(
      about(
        `${operation}.listDeliveries`,
        "Read the execution log",
        `Every delivery of the ${what} with its attempts, newest first, with the filters and pages of all deliveries. Bodies are cut to 64 KiB here; one delivery alone has them whole.`
      )
    )
    .middleware(QueryValidation)
    .middleware(AdminAccess)
  const delivery = HttpApiEndpoint.get("delivery", `${path}/:id/deliveries/:delivery_id`, {
    params: ofDelivery,
    success: Delivery,
    error: noSuch(`${what}, or no such delivery of it`)
  })
    .annotateMerge(about(`${operation}.getDelivery`, "Get a delivery", "One delivery with its attempts."))
    .middleware(AdminAccess)
  const redeliver = HttpApiEndpoint.post("redeliver", `${path}/:id/deliveries/:delivery_id/redeliver`, {
    params: ofDelivery,
    headers: idempotencyKey,
    success: created(Delivery),
    error: [
      noSuch(`${what}, or no such delivery of it`),
      errorV2("Conflict", `The delivery was a send-test, or the ${what} is turned off.`)
    ]
  })
    .annotateMerge(
      about(
        `${operation}.redeliver`,
        "Deliver again",
        "Sends the same payload once more, as a new delivery with an id and a schedule of its own. A delivery that still has " +
          "attempts to come is called off: the new one takes its place.",
        `${kind}.redelivered`
      )
    )
    .middleware(IdempotentPost)
    .middleware(AdminAccess)
  return { viewSecret, test, deliveries, delivery, redeliver } as const
}
