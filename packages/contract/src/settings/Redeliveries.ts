import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { about } from "../about.ts"
import { errorV2 } from "../errors.ts"
import { Authentication, RequestLimits } from "../v2/middleware.ts"
import { bodyErrors, created, idParameter, noSuch } from "./fields.ts"
import { AdminAccess, IdempotentPost } from "./middleware.ts"
import { idempotencyKey } from "./parameters.ts"
import { Redelivery, RedeliveryEstimate, RedeliveryInput, RedeliveryList } from "./wire/Redelivery.ts"

const params = { id: idParameter("redelivery") }

const list = HttpApiEndpoint.get("list", "/redeliveries", { success: RedeliveryList })
  .annotateMerge(
    about(
      "redeliveries.list",
      "List redeliveries",
      "Lists the newest 100 redeliveries with their progress, newest first."
    )
  )
  .middleware(AdminAccess)

const create = HttpApiEndpoint.post("create", "/redeliveries", {
  headers: idempotencyKey,
  payload: RedeliveryInput,
  success: [created(Redelivery), RedeliveryEstimate],
  error: [...bodyErrors, errorV2("Conflict", "Three redeliveries of the account are running, which is the maximum.")]
})
  .annotateMerge(
    about(
      "redeliveries.create",
      "Start a redelivery",
      "Sends the payloads of all deliveries that match the filters again, newest first, each as a new delivery. A pending delivery is " +
        "cancelled, and the new one replaces it. A redelivery runs in the background, and survives a restart of the server; an account can run " +
        "three at a time. With `dry_run`, the response is 200 with the number of deliveries, and nothing is sent.",
      "redelivery.started"
    )
  )
  .middleware(IdempotentPost)
  .middleware(AdminAccess)

const read = HttpApiEndpoint.get("read", "/redeliveries/:id", {
  params,
  success: Redelivery,
  error: noSuch("redelivery")
})
  .annotateMerge(about("redeliveries.get", "Get a redelivery", "Returns a redelivery with its progress."))
  .middleware(AdminAccess)

const stop = HttpApiEndpoint.post("stop", "/redeliveries/:id/stop", {
  params,
  headers: idempotencyKey,
  success: Redelivery,
  error: noSuch("redelivery")
})
  .annotateMerge(
    about(
      "redeliveries.stop",
      "Stop a redelivery",
      "Stops a redelivery: it creates no more deliveries. Deliveries that it has created are still sent. Stopping an ended redelivery changes nothing.",
      "redelivery.stopped"
    )
  )
  .middleware(IdempotentPost)
  .middleware(AdminAccess)

export class Redeliveries extends HttpApiGroup.make("redeliveries")
  .add(list, create, read, stop)
  .middleware(Authentication)
  .middleware(RequestLimits)
  .annotateMerge(
    OpenApi.annotations({
      title: "Redeliveries",
      description: "Jobs that send deliveries again, selected by filters; for admins only."
    })
  ) {}
