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
      "All audit destinations, in the order in which they were made."
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
      "Make an audit destination",
      "Makes a destination for audit entries. Without a secret its deliveries are not signed.",
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
    about("auditDestinations.get", "Get an audit destination", "One destination, its secret and header values masked.")
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
      "Change an audit destination",
      "What is left out stays; `filters` is one setting. Turning it off calls off what it had still to deliver.",
      "audit_destination.updated"
    )
  )
  .middleware(AdminAccess)

const remove = HttpApiEndpoint.delete("delete", "/audit-destinations/:id", {
  params,
  success: noContent("The audit destination is gone."),
  error: noSuch("audit destination")
})
  .annotateMerge(
    about(
      "auditDestinations.delete",
      "Delete an audit destination",
      "What it had still to deliver is called off.",
      "audit_destination.deleted"
    )
  )
  .middleware(AdminAccess)

const rotateSecret = HttpApiEndpoint.post("rotate_secret", "/audit-destinations/:id/secret/rotate", {
  params,
  headers: idempotencyKey,
  payload: SecretRotation,
  success: AuditDestination,
  error: [...bodyErrors, noSuch("audit destination"), errorV2("Conflict", "Four old secrets sign along already.")]
})
  .annotateMerge(
    about(
      "auditDestinations.rotateSecret",
      "Rotate the secret",
      "From now on the new secret signs `X-Webhook-Signature`. For the overlap, `webhook-signature` carries a `v1,` entry of each secret, " +
        "separated by a space. A destination that had no secret gets its first.",
      "audit_destination.secret_rotated"
    )
  )
  .annotate(OptionalBody, true)
  .middleware(IdempotentPost)
  .middleware(AdminAccess)

const removeSecret = HttpApiEndpoint.delete("remove_secret", "/audit-destinations/:id/secret", {
  params,
  success: noContent("Its deliveries are not signed from now on."),
  error: noSuch("audit destination")
})
  .annotateMerge(
    about(
      "auditDestinations.removeSecret",
      "Remove the secret",
      "From then on its deliveries are not signed.",
      "audit_destination.secret_removed"
    )
  )
  .middleware(AdminAccess)

const explain = HttpApiEndpoint.get("explain", "/audit-destinations/:id/explain", {
  params,
  query: MissedEntryQuery,
  success: EventExplanation,
  error: noSuch("audit destination, or no such audit entry")
})
  .annotateMerge(
    about(
      "auditDestinations.explain",
      "Explain a missing delivery",
      "Why an audit entry was not sent to the destination: which filter, or that it was turned off; or which deliveries there are."
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
      description: "Monitoring systems that audit entries are sent to, and their execution logs; for admins only."
    })
  ) {}
