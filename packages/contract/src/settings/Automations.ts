import { templateVariables } from "@tapedeck/domain"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { about, OptionalBody } from "../about.ts"
import { errorV2 } from "../errors.ts"
import { Authentication, QueryValidation, RequestLimits } from "../v2/middleware.ts"
import { deliveryEndpoints } from "./ExecutionLog.ts"
import { bodyErrors, created, idParameter, noContent, noSuch } from "./fields.ts"
import { AdminAccess, IdempotentPost } from "./middleware.ts"
import { AutomationQuery, idempotencyKey, MissedRecordingQuery } from "./parameters.ts"
import { Automation, AutomationChange, AutomationInput, AutomationPage } from "./wire/Automation.ts"
import { EventExplanation } from "./wire/Explanation.ts"
import { SecretRotation } from "./wire/Webhook.ts"

const params = { id: idParameter("automation") }

const list = HttpApiEndpoint.get("list", "/automations", { query: AutomationQuery, success: AutomationPage })
  .annotateMerge(
    about(
      "automations.list",
      "List automations",
      "All automations of the account, or of one folder, in the order in which they were made."
    )
  )
  .middleware(QueryValidation)
  .middleware(AdminAccess)

const create = HttpApiEndpoint.post("create", "/automations", {
  headers: idempotencyKey,
  payload: AutomationInput,
  success: created(Automation),
  error: bodyErrors
})
  .annotateMerge(
    about(
      "automations.create",
      "Create an automation",
      `Creates a webhook of a folder. Variables of its payload: ${templateVariables.map((name) => `\`${name}\``).join(", ")}.`,
      "automation.created"
    )
  )
  .middleware(IdempotentPost)
  .middleware(AdminAccess)

const read = HttpApiEndpoint.get("read", "/automations/:id", {
  params,
  success: Automation,
  error: noSuch("automation")
})
  .annotateMerge(about("automations.get", "Get an automation", "One automation, its secret and header values masked."))
  .middleware(AdminAccess)

const update = HttpApiEndpoint.patch("update", "/automations/:id", {
  params,
  payload: AutomationChange,
  success: Automation,
  error: [...bodyErrors, noSuch("automation")]
})
  .annotateMerge(
    about(
      "automations.update",
      "Change an automation",
      "What is left out stays. Turning it off calls off what it had still to deliver. Attempts to come use the new settings.",
      "automation.updated"
    )
  )
  .middleware(AdminAccess)

const remove = HttpApiEndpoint.delete("delete", "/automations/:id", {
  params,
  success: noContent("The automation is gone."),
  error: noSuch("automation")
})
  .annotateMerge(
    about(
      "automations.delete",
      "Delete an automation",
      "What it had still to deliver is called off.",
      "automation.deleted"
    )
  )
  .middleware(AdminAccess)

const rotateSecret = HttpApiEndpoint.post("rotate_secret", "/automations/:id/secret/rotate", {
  params,
  headers: idempotencyKey,
  payload: SecretRotation,
  success: Automation,
  error: [...bodyErrors, noSuch("automation"), errorV2("Conflict", "Four old secrets sign along already.")]
})
  .annotateMerge(
    about(
      "automations.rotateSecret",
      "Rotate the secret",
      "From now on the new secret signs the vendor's signature header. For the overlap, `webhook-signature` carries a `v1,` entry of each " +
        "secret, separated by a space: a receiver that verifies by Standard Webhooks takes either.",
      "automation.secret_rotated"
    )
  )
  .annotate(OptionalBody, true)
  .middleware(IdempotentPost)
  .middleware(AdminAccess)

const explain = HttpApiEndpoint.get("explain", "/automations/:id/explain", {
  params,
  query: MissedRecordingQuery,
  success: EventExplanation,
  error: noSuch("automation, or no such recording")
})
  .annotateMerge(
    about(
      "automations.explain",
      "Explain a missing delivery",
      "Why the automation has sent nothing about a recording, or which deliveries there are. When the recording came to the folder, and what the " +
        "automation was like then, is what the audit log says; what is not in it is `not_known`."
    )
  )
  .middleware(QueryValidation)
  .middleware(AdminAccess)

const { delivery, deliveries, redeliver, test, viewSecret } = deliveryEndpoints({
  kind: "automation",
  what: "automation",
  operation: "automations",
  sample: "a made-up recording",
  path: "/automations"
})

export class Automations extends HttpApiGroup.make("automations")
  .add(list, create, read, update, remove, viewSecret, rotateSecret, test, deliveries, delivery, redeliver, explain)
  .middleware(Authentication)
  .middleware(RequestLimits)
  .annotateMerge(
    OpenApi.annotations({
      title: "Automations",
      description:
        "Webhooks that fire when a recording is added to their folder, and their execution logs; for admins only."
    })
  ) {}
