import { AuditStatus as DomainAuditStatus } from "@tapedeck/domain/audit"
import { auditCategory, auditEventType, auditSeverity } from "@tapedeck/domain/input"
import { Schema } from "effect"
import { dateTime, email, nullableText, text } from "../../wire/fields.ts"
import { Pagination } from "../../wire/Pagination.ts"
import { listOf, numericId } from "../fields.ts"

export { auditCategory as AuditCategory, auditEventType as AuditEventType, auditSeverity as AuditSeverity }

export const AuditUser = Schema.Struct({
  id: numericId("user", 1),
  name: text("Full name.", "Ada Lovelace"),
  email: email("E-mail address.")
}).annotate({ identifier: "AuditUser", description: "User who acted." })

const AuditChange = Schema.Struct({
  from: Schema.Json.annotate({ description: "Previous value; null if the field is new.", examples: [true] }),
  to: Schema.Json.annotate({ description: "New value; null if the field was deleted.", examples: [false] })
}).annotate({ identifier: "AuditChange", description: "Change of a field." })

const AuditMetadata = Schema.Struct({
  target_type: text("Type of the target.", "automation"),
  target_id: text("Id of the target.", "7d0f3c1e-5b0a-4c57-9d3e-2f1f6a8b9c10"),
  changes: Schema.Record(Schema.String, AuditChange).annotate({
    description: "Previous and new values by field, without secrets.",
    examples: [{ enabled: { from: true, to: false } }]
  }),
  suppressed: Schema.optionalKey(
    Schema.Int.annotate({
      description:
        "For `access.denied`: number of denials of the same caller and operation since the previous entry that have no entry, because there " +
        "is at most one an hour. Omitted if there are none.",
      examples: [41]
    })
  )
}).annotate({
  identifier: "AuditMetadata",
  description: "Target and changes of the action.",
  examples: [
    {
      target_type: "automation",
      target_id: "7d0f3c1e-5b0a-4c57-9d3e-2f1f6a8b9c10",
      changes: { enabled: { from: true, to: false } }
    }
  ]
})

export const AuditEntry = Schema.Struct({
  id: numericId("audit entry", 12),
  event_type: auditEventType,
  category: auditCategory,
  severity: auditSeverity,
  status: DomainAuditStatus.annotate({ description: "Whether the action was done or refused.", examples: ["success"] }),
  timestamp: dateTime("Time of the action."),
  user: Schema.NullOr(AuditUser).annotate({ description: "User who acted; null for the system." }),
  ip_address: nullableText("IP address from which the request came.", "203.0.113.7"),
  user_agent: nullableText("User agent of the request.", "Mozilla/5.0 (Macintosh)"),
  metadata: AuditMetadata
}).annotate({ identifier: "AuditEntry", description: "Action in the account, or refused action." })
export type AuditEntry = typeof AuditEntry.Type

export const AuditEntryPage = Schema.Struct({
  pagination: Pagination,
  audit_entries: listOf(AuditEntry, "The entries of this page, newest first.")
}).annotate({ identifier: "AuditEntryPage", description: "A page of the audit log." })

export const AuditChain = Schema.Struct({
  head: Schema.NullOr(
    Schema.Struct({
      number: Schema.Int.annotate({
        description: "Number of linked entries, including removed ones.",
        examples: [812]
      }),
      entry_id: Schema.Int.annotate({ description: "Id of the last linked entry.", examples: [4711] }),
      link: text("Last link of the chain, a keyed hash.", "mK3vW0oYb5tq7d1S2f4g6h8j0k2l4z6x8c0v2b4n6mA")
    })
  ).annotate({ description: "Last link of the chain; null if no entry is linked yet." }),
  waiting: Schema.Natural.annotate({
    description: "Number of entries that are not linked yet, up to 1,000.",
    examples: [0]
  })
}).annotate({ identifier: "AuditChain", description: "State of the hash chain of the audit log's entries." })
export type AuditChain = typeof AuditChain.Type
