import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { about, OptionalBody } from "../about.ts"
import { errorV2 } from "../errors.ts"
import { Authentication, QueryValidation, RequestLimits } from "../v2/middleware.ts"
import { PageQuery } from "../wire/parameters.ts"
import { deliveryEndpoints } from "./ExecutionLog.ts"
import { bodyErrors, created, idParameter, noContent, noSuch } from "./fields.ts"
import { AdminAccess, IdempotentPost } from "./middleware.ts"
import { idempotencyKey, MissedEntryQuery } from "./parameters.ts"
import {
  AuditDestination,
  AuditDestinationChange,
  AuditDestinationInput,
  AuditDestinationPage
} from "./wire/AuditDestination.ts"
import { EventExplanation } from "./wire/Explanation.ts"
import { SecretRotation } from "./wire/Webhook.ts"

const params = { id: idParameter("audit destination") }

const list = HttpApiEndpoint.get("list", "/audit-destinations", { query: PageQuery, success: AuditDestinationPage })
  .annotateMerge(
    about(
      "auditDestinations.list",
      "List audit destinations",
      "Lists the audit destinations of the account, in the order in which they were created."
    )
  )
  .middleware(QueryValidation)
  .middleware(AdminAccess)

const create = HttpApiEndpoint.post("create", "/audit-destinations", {
  headers: idempotencyKey,
  payload: AuditDestinationInput,
  success: created(AuditDestination),
  error: bodyErrors
})
  .annotateMerge(
    about(
      "auditDestinations.create",
      "Create an audit destination",
      "Creates a destination for audit entries. Without a secret, its deliveries are not signed.",
      "audit_destination.created"
    )
  )
  .middleware(IdempotentPost)
  .middleware(AdminAccess)

const read = HttpApiEndpoint.get("read", "/audit-destinations/:id", {
  params,
  success: AuditDestination,
  error: noSuch("audit destination")
})
  .annotateMerge(
    about(
      "auditDestinations.get",
      "Get an audit destination",
      "Returns an audit destination, with its secret and header values masked."
    )
  )
  .middleware(AdminAccess)

const update = HttpApiEndpoint.patch("update", "/audit-destinations/:id", {
  params,
  payload: AuditDestinationChange,
  success: AuditDestination,
  error: [...bodyErrors, noSuch("audit destination")]
})
  .annotateMerge(
    about(
      "auditDestinations.update",
      "Update an audit destination",
      "Fields that you omit keep their value; `filters` is replaced as a whole. Disabling an audit destination cancels its pending deliveries.",
      "audit_destination.updated"
    )
  )
  .middleware(AdminAccess)

const remove = HttpApiEndpoint.delete("delete", "/audit-destinations/:id", {
  params,
  success: noContent("The audit destination is deleted."),
  error: noSuch("audit destination")
})
  .annotateMerge(
    about(
      "auditDestinations.delete",
      "Delete an audit destination",
      "Deletes an audit destination, and cancels its pending deliveries.",
      "audit_destination.deleted"
    )
  )
  .middleware(AdminAccess)

const rotateSecret = HttpApiEndpoint.post("rotate_secret", "/audit-destinations/:id/secret/rotate", {
  params,
  headers: idempotencyKey,
  payload: SecretRotation,
  success: AuditDestination,
  error: [
    ...bodyErrors,
    noSuch("audit destination"),
    errorV2("Conflict", "Four old secrets are still valid, which is the maximum.")
  ]
})
  .annotateMerge(
    about(
      "auditDestinations.rotateSecret",
      "Rotate the secret",
      "Sets a new secret, which signs `X-Webhook-Signature` from now on. During the overlap, `webhook-signature` has a `v1,` entry for each " +
        "secret, separated by spaces. A destination without a secret gets its first one.",
      "audit_destination.secret_rotated"
    )
  )
  .annotate(OptionalBody, true)
  .middleware(IdempotentPost)
  .middleware(AdminAccess)

const removeSecret = HttpApiEndpoint.delete("remove_secret", "/audit-destinations/:id/secret", {
  params,
  success: noContent("The secret is removed."),
  error: noSuch("audit destination")
})
  .annotateMerge(
    about(
      "auditDestinations.removeSecret",
      "Remove the secret",
      "Removes the secret of an audit destination. Its deliveries are not signed from then on.",
      "audit_destination.secret_removed"
    )
  )
  .middleware(AdminAccess)

const explain = HttpApiEndpoint.get("explain", "/audit-destinations/:id/explain", {
  params,
  query: MissedEntryQuery,
  success: EventExplanation,
  error: noSuch("audit destination or audit entry")
})
  .annotateMerge(
    about(
      "auditDestinations.explain",
      "Explain a missing delivery",
      "Returns the reason why an audit entry was not sent to the destination, such as a filter or a disabled destination, or the deliveries of the entry."
    )
  )
  .middleware(QueryValidation)
  .middleware(AdminAccess)

const { delivery, deliveries, redeliver, test, viewSecret } = deliveryEndpoints({
  kind: "audit_destination",
  what: "audit destination",
  operation: "auditDestinations",
  sample: "the audit entry of the test itself",
  path: "/audit-destinations"
})

export class AuditDestinations extends HttpApiGroup.make("audit_destinations")
  .add(
    list,
    create,
    read,
    update,
    remove,
    viewSecret,
    rotateSecret,
    removeSecret,
    test,
    deliveries,
    delivery,
    redeliver,
    explain
  )
  .middleware(Authentication)
  .middleware(RequestLimits)
  .annotateMerge(
    OpenApi.annotations({
      title: "Audit destinations",
      description:
        "Monitoring systems that receive audit entries, and their execution logs; for admins only. `webhooks` of the document of v2 " +
        "describes the requests."
    })
  ) {}
