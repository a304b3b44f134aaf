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
}).annotate({ identifier: "AuditUser", description: "The acting user." })

const AuditChange = Schema.Struct({
  from: Schema.Json.annotate({ description: "What it was; null for what was made.", examples: [true] }),
  to: Schema.Json.annotate({ description: "What it is; null for what was deleted.", examples: [false] })
}).annotate({ identifier: "AuditChange", description: "A field that changed." })

const AuditMetadata = Schema.Struct({
  target_type: text("What kind of thing it was done to.", "automation"),
  target_id: text("Its id.", "7d0f3c1e-5b0a-4c57-9d3e-2f1f6a8b9c10"),
  changes: Schema.Record(Schema.String, AuditChange).annotate({
    description: "Field by field, what was and what is. Nothing secret is in it.",
    examples: [{ enabled: { from: true, to: false } }]
  }),
  suppressed: Schema.optionalKey(
    Schema.Int.annotate({
      description:
        "Of `access.denied`: the number of denials of the same caller and operation that were left out since the last " +
        "entry, as there is at most one an hour. Left out where there are none.",
      examples: [41]
    })
  )
}).annotate({ identifier: "AuditMetadata", description: "What it was done to, and what changed." })

export const AuditEntry = Schema.Struct({
  id: numericId("audit entry", 12),
  event_type: auditEventType,
  category: auditCategory,
  severity: auditSeverity,
  status: DomainAuditStatus.annotate({ description: "Whether it was done or refused.", examples: ["success"] }),
  timestamp: dateTime("When."),
  user: Schema.NullOr(AuditUser).annotate({ description: "The acting user; null for the system." }),
  ip_address: nullableText("Where the request came from.", "203.0.113.7"),
  user_agent: nullableText("With what it was made.", "Mozilla/5.0 (Macintosh)"),
  metadata: AuditMetadata
}).annotate({ identifier: "AuditEntry", description: "Something that was done in the account, or refused." })
export type AuditEntry = typeof AuditEntry.Type

export const AuditEntryPage = Schema.Struct({
  pagination: Pagination,
  audit_entries: listOf(AuditEntry, "The entries of this page, newest first.")
}).annotate({ identifier: "AuditEntryPage", description: "A page of the audit log." })

export const AuditChain = Schema.Struct({
  head: Schema.NullOr(
    Schema.Struct({
      number: Schema.Int.annotate({
        description: "The number of linked entries, removed ones included.",
        examples: [812]
      }),
      entry_id: Schema.Int.annotate({ description: "The last linked entry.", examples: [4711] }),
      link: text("The last link: a keyed hash.", "mK3vW0oYb5tq7d1S2f4g6h8j0k2l4z6x8c0v2b4n6mA")
    })
  ).annotate({ description: "The end of the chain; null: no entry is linked yet." }),
  waiting: Schema.Natural.annotate({ description: "Entries that are not linked yet, counted to 1,000.", examples: [0] })
}).annotate({ identifier: "AuditChain", description: "The state of the chain that the audit log's entries form." })
export type AuditChain = typeof AuditChain.Type
