import { HttpApiEndpoint } from "effect/http-api"
import { about } from "../about.ts"
import { errorV2 } from "../errors.ts"
import { QueryValidation } from "../v2/middleware.ts"
import { created, idParameter, noSuch } from "./fields.ts"
import { AdminAccess, IdempotentPost } from "./middleware.ts"
import { DeliveryQuery, idempotencyKey } from "./parameters.ts"
import { Delivery, DeliveryPage, SendTest } from "./wire/Delivery.ts"
import { Secret } from "./wire/Webhook.ts"

/** Owner of the endpoints: `what` is its name in texts, `operation` its name in operation ids, `path` its path under the root. */
interface Owner<Path extends `/${string}`, Kind extends "automation" | "audit_destination"> {
  /** The subject of the audit events. */
  readonly kind: Kind
  readonly what: string
  readonly operation: string
  /** The subject of a send-test, in texts. */
  readonly sample: string
  readonly path: Path
}

/** Endpoints that automations and audit destinations have in common: secret, send-test, execution log. */
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
        "Get the secret",
        "Returns the secret with its text. Copy it to your receiver. No other call returns it.",
        `${kind}.secret_viewed`
      )
    )
    .middleware(AdminAccess)
  const test = HttpApiEndpoint.post("test", `${path}/:id/test`, { params, success: SendTest, error: noSuch(what) })
    .annotateMerge(
      about(
        `${operation}.test`,
        "Send a test",
        `Sends ${sample} once, even if the ${what} is disabled, and returns the result. The execution log has the delivery, marked as a test.`,
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
        `List an ${what}'s deliveries`,
        `Lists the deliveries of the ${what}, with their attempts, newest first: its execution log. Filters and pages are those of \`GET /deliveries\`. Bodies are cut to 64 KiB; get a delivery to read them in full.`
      )
    )
    .middleware(QueryValidation)
    .middleware(AdminAccess)
  const delivery = HttpApiEndpoint.get("delivery", `${path}/:id/deliveries/:delivery_id`, {
    params: ofDelivery,
    success: Delivery,
    error: noSuch(`${what} or delivery`)
  })
    .annotateMerge(
      about(
        `${operation}.getDelivery`,
        `Get an ${what}'s delivery`,
        `Returns a delivery of the ${what}, with its attempts.`
      )
    )
    .middleware(AdminAccess)
  const redeliver = HttpApiEndpoint.post("redeliver", `${path}/:id/deliveries/:delivery_id/redeliver`, {
    params: ofDelivery,
    headers: idempotencyKey,
    success: created(Delivery),
    error: [
      noSuch(`${what} or delivery`),
      errorV2("Conflict", `The delivery is a send-test, or the ${what} is disabled.`)
    ]
  })
    .annotateMerge(
      about(
        `${operation}.redeliver`,
        "Send a delivery again",
        "Sends the payload of a delivery again, as a new delivery with its own id and schedule. If the original delivery is pending, it is " +
          "cancelled.",
        `${kind}.redelivered`
      )
    )
    .middleware(IdempotentPost)
    .middleware(AdminAccess)
  return { viewSecret, test, deliveries, delivery, redeliver } as const
}
