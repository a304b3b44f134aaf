import { templateVariables } from "@tapedeck/domain"
import { templateFilters } from "@tapedeck/domain/template"
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

const listOf = (names: ReadonlyArray<string>) => names.map((name) => `\`${name}\``).join(", ")

const params = { id: idParameter("automation") }

const list = HttpApiEndpoint.get("list", "/automations", { query: AutomationQuery, success: AutomationPage })
  .annotateMerge(
    about(
      "automations.list",
      "List automations",
      "Lists the automations of the account, or of one folder, in the order in which they were created."
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
      `Creates a webhook for a folder. Variables of its payload: ${listOf(templateVariables)}. Filters: ${listOf(templateFilters)}.`,
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
  .annotateMerge(
    about("automations.get", "Get an automation", "Returns an automation, with its secret and header values masked.")
  )
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
      "Update an automation",
      "Fields that you omit keep their value. Later attempts use the new settings. Disabling an automation cancels its pending deliveries.",
      "automation.updated"
    )
  )
  .middleware(AdminAccess)

const remove = HttpApiEndpoint.delete("delete", "/automations/:id", {
  params,
  success: noContent("The automation is deleted."),
  error: noSuch("automation")
})
  .annotateMerge(
    about(
      "automations.delete",
      "Delete an automation",
      "Deletes an automation, and cancels its pending deliveries.",
      "automation.deleted"
    )
  )
  .middleware(AdminAccess)

const rotateSecret = HttpApiEndpoint.post("rotate_secret", "/automations/:id/secret/rotate", {
  params,
  headers: idempotencyKey,
  payload: SecretRotation,
  success: Automation,
  error: [
    ...bodyErrors,
    noSuch("automation"),
    errorV2("Conflict", "Four old secrets are still valid, which is the maximum.")
  ]
})
  .annotateMerge(
    about(
      "automations.rotateSecret",
      "Rotate the secret",
      "Sets a new secret, which signs the vendor's signature header from now on. During the overlap, `webhook-signature` has a `v1,` entry for " +
        "each secret, separated by spaces: a receiver that follows Standard Webhooks accepts either secret.",
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
  error: noSuch("automation or recording")
})
  .annotateMerge(
    about(
      "automations.explain",
      "Explain a missing delivery",
      "Returns the reason why the automation sent nothing about a recording, or the deliveries of the recording. The audit log tells when the " +
        "recording entered the folder, and which settings the automation had then. Without such an entry, the reason is `not_known`."
    )
  )
  .middleware(QueryValidation)
  .middleware(AdminAccess)

const { delivery, deliveries, redeliver, test, viewSecret } = deliveryEndpoints({
  kind: "automation",
  what: "automation",
  operation: "automations",
  sample: "a sample recording",
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
        "Webhooks that fire when a recording is added to their folder, and their execution logs; for admins only. `webhooks` of the " +
        "document of v2 describes the requests."
    })
  ) {}
