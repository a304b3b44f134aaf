import { type AccountId, AuditEntryId, receiverOfDestination, type User } from "@tapedeck/domain"
import { type AuditEntry, type AuditEventType, auditPayload } from "@tapedeck/domain/audit"
import { passesFilters } from "@tapedeck/domain/internal/receivers"
import { Context, Effect, Layer } from "effect"
import { Deliveries } from "../deliveries/Deliveries.ts"
import { whenFull } from "../files/space.ts"
import { now } from "../now.ts"
import { RequestOrigin } from "../people/Caller.ts"
import { storeOf } from "../store/Store.ts"
import { countDenial } from "./denials.ts"

export interface AuditEvent {
  readonly accountId: AccountId
  readonly eventType: AuditEventType
  readonly status: AuditEntry["status"]
  /** Null for the system (A7). */
  readonly user: User | null
  readonly target: { readonly type: string; readonly id: string }
  readonly changes?: AuditEntry["metadata"]["changes"]
}

/** An operation that was refused to a user. */
export interface DenialEvent extends Pick<AuditEvent, "accountId" | "target"> {
  readonly user: User
  /** Denials of the same user and operation are one entry an hour (A8). */
  readonly operation: string
}

/**
 * Records audit entries and creates their deliveries (Events, audit-log webhook). `record` belongs inside the transaction of what
 * it tells about: the entry and its deliveries commit with their cause (A5).
 */
export class AuditLog extends Context.Service<
  AuditLog,
  {
    /** Writes an entry, and returns it. */
    readonly record: (event: AuditEvent) => Effect.Effect<AuditEntry>
    /** Makes the entry `access.denied`, or counts the denial for the next one (A8). */
    readonly recordDenial: (event: DenialEvent) => Effect.Effect<void>
  }
>()("@tapedeck/core/AuditLog") {
  static readonly layer = Layer.effect(
    AuditLog,
    Effect.gen(function* () {
      const store = yield* storeOf(
        "accounts",
        "auditEntries",
        "destinations",
        "nextNumber",
        "transaction",
        "tryWindows"
      )
      const deliveries = yield* Deliveries

      const announce = Effect.fnUntraced(function* (entry: AuditEntry, user: User | null) {
        const destinations = yield* store.destinations.ofAccount(entry.accountId)
        const listening = destinations.filter((one) => one.enabled && passesFilters(entry, one.filters))
        if (listening.length === 0) return
        const account = yield* store.accounts.byId(entry.accountId)
        if (account === undefined) return
        const body = JSON.stringify(auditPayload({ entry, user, account }))
        for (const destination of listening) {
          yield* deliveries.enqueue({
            accountId: entry.accountId,
            destinationId: destination.id,
            auditEntryId: entry.id,
            event: entry.eventType,
            body,
            schedule: receiverOfDestination(destination).schedule
          })
        }
      })

      const record = Effect.fn("AuditLog.record")(function* (event: AuditEvent, suppressed = 0) {
        const origin = yield* RequestOrigin
        const entry: AuditEntry = {
          id: AuditEntryId.make(yield* store.nextNumber("audit_entry")),
          accountId: event.accountId,
          eventType: event.eventType,
          status: event.status,
          at: yield* now,
          userId: event.user?.id ?? null,
          ipAddress: origin.ipAddress,
          userAgent: origin.userAgent,
          metadata: {
            targetType: event.target.type,
            targetId: event.target.id,
            changes: event.changes ?? {},
            ...(suppressed > 0 && { suppressed })
          }
        }
        yield* store.auditEntries.append(entry)
        yield* announce(entry, event.user)
        return entry
      })

      const recordDenial = Effect.fn("AuditLog.recordDenial")(function* ({
        accountId,
        operation,
        target,
        user
      }: DenialEvent) {
        const suppressed = yield* countDenial(store, { accountId, userId: user.id, operation })
        if (suppressed === null) return
        yield* store.transaction(
          record({ accountId, eventType: "access.denied", status: "failure", user, target }, suppressed)
        )
      })

      return AuditLog.of({
        record: (event) => store.transaction(record(event)),
        recordDenial: (event) =>
          whenFull(
            recordDenial(event),
            Effect.logError("denial not recorded in the audit log", { reason: "the disk is full" })
          )
      })
    })
  )
}
