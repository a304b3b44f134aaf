import type { AuditEventType } from "@tapedeck/domain/audit"
import { Context } from "effect"
import { type HttpApiEndpoint, OpenApi } from "effect/http-api"

/** Audit events that a call can write, for changes and for disclosures. */
export class AuditEvents extends Context.Service<AuditEvents, ReadonlyArray<AuditEventType>>()(
  "@tapedeck/contract/AuditEvents"
) {}

/** Annotations of an endpoint: the id of its operation, its texts in the OpenAPI document, and its audit events. */
export const about = (
  identifier: string,
  summary: string,
  description: string,
  ...audits: ReadonlyArray<AuditEventType>
) => {
  const named = audits.map((event) => `\`${event}\``).join(", ")
  const sentence = audits.length === 0 ? "" : ` Audit event${audits.length === 1 ? "" : "s"}: ${named}.`
  const annotations = OpenApi.annotations({ identifier, summary, description: description + sentence })
  return audits.length === 0 ? annotations : Context.add(annotations, AuditEvents, audits)
}

/** True if the JSON body of an endpoint may be omitted. An omitted body is an object without keys. */
export const OptionalBody = Context.Reference<boolean>("@tapedeck/contract/OptionalBody", { defaultValue: () => false })

/** Returns whether the JSON body of an endpoint may be omitted. */
export const hasOptionalBody = ({ annotations }: HttpApiEndpoint.Top): boolean => Context.get(annotations, OptionalBody)
