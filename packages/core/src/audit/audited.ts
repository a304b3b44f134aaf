import type { Json } from "@tapedeck/domain"
import type { AuditChanges, AuditEventType } from "@tapedeck/domain/audit"
import { Effect } from "effect"
import type { Caller } from "../people/Caller.ts"
import { AuditLog } from "./AuditLog.ts"

/** The target of an operation. */
export interface Target {
  readonly type: string
  readonly id: string
}

/** Records the caller's operation. Belongs inside the transaction of that operation. */
export const auditor = Effect.map(
  AuditLog,
  (audit) =>
    (caller: Pick<Caller, "account" | "user">, eventType: AuditEventType, target: Target, changes: AuditChanges = {}) =>
      audit.record({
        accountId: caller.account.id,
        eventType,
        status: "success",
        user: caller.user,
        target,
        changes
      })
)

/**
 * A field in the form of the audit log. Its `value` decides whether it changed, and may be a secret; `shown` is written to
 * the log, and from there to the account's monitoring systems.
 */
export interface AuditedField {
  readonly value: unknown
  readonly shown: Json
}

export const plainField = (value: Json): AuditedField => ({ value, shown: value })

type AuditedFields = Readonly<Record<string, AuditedField>>

/** Field by field, what was and what is (A7). Null: it was not there before, or is not any more. */
export const changesBetween = (before: AuditedFields | null, after: AuditedFields | null): AuditChanges => {
  const fields = Object.keys(before ?? after ?? {})
  const changed = fields.filter((field) => {
    const isEqual = JSON.stringify(before?.[field]?.value) === JSON.stringify(after?.[field]?.value)
    return before === null || after === null || !isEqual
  })
  return Object.fromEntries(
    changed.map((field) => [field, { from: before?.[field]?.shown ?? null, to: after?.[field]?.shown ?? null }])
  )
}

export const isChange = (changes: AuditChanges): boolean => Object.keys(changes).length > 0
