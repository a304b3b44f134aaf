import type { AuditEventType } from "@tapedeck/domain/audit"
import { Context } from "effect"
import { type HttpApiEndpoint, OpenApi } from "effect/http-api"

/** The audit events that a call may write: those for what it changed, or for what it disclosed. */
export class AuditEvents extends Context.Service<AuditEvents, ReadonlyArray<AuditEventType>>()(
  "@tapedeck/contract/AuditEvents"
) {}

/** The id of an endpoint's operation, what its OpenAPI document says of it, and its audit events. */
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

/** The JSON body may be missing: it is an object without keys then. */
export const OptionalBody = Context.Reference<boolean>("@tapedeck/contract/OptionalBody", { defaultValue: () => false })

/** Whether the JSON body of an endpoint may be missing. */
export const hasOptionalBody = ({ annotations }: HttpApiEndpoint.Top): boolean => Context.get(annotations, OptionalBody)
