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
  .annotateMerge(about("redeliveries.list", "List redeliveries", "The newest 100 with their progress, newest first."))
  .middleware(AdminAccess)

const create = HttpApiEndpoint.post("create", "/redeliveries", {
  headers: idempotencyKey,
  payload: RedeliveryInput,
  success: [created(Redelivery), RedeliveryEstimate],
  error: [...bodyErrors, errorV2("Conflict", "Three redeliveries of the account run already.")]
})
  .annotateMerge(
    about(
      "redeliveries.create",
      "Deliver again by filter",
      "Sends again the payloads of the deliveries that the filters find, the newest first, each as `Deliver again` does: as a new " +
        "delivery, in the place of one that still has attempts to come. It runs in the background, at most three at a time; a " +
        "restart of the server does not end it. With `dry_run` the answer is 200 with the number, and nothing is sent.",
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
  .annotateMerge(about("redeliveries.get", "Get a redelivery", "One redelivery with its progress."))
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
      "It delivers nothing more again; what it has made is still sent. One that has ended stays as it is.",
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
      description: "Jobs that deliver again what a filter finds; for admins only."
    })
  ) {}
