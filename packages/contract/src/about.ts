import type { AuditEventType } from "@tapedeck/domain/audit"
import { Context } from "effect"
import { OpenApi } from "effect/http-api"

/** The audit event that a successful call writes. */
export class AuditEvent extends Context.Service<AuditEvent, AuditEventType>()("@tapedeck/contract/AuditEvent") {}

/** The id of an endpoint's operation, what its OpenAPI document says of it, and the audit event that it writes, if any. */
export const about = (identifier: string, summary: string, description: string, audits?: AuditEventType) => {
  const written = audits === undefined ? "" : ` Writes the audit event \`${audits}\`.`
  const annotations = OpenApi.annotations({ identifier, summary, description: description + written })
  return audits === undefined ? annotations : Context.add(annotations, AuditEvent, audits)
}
