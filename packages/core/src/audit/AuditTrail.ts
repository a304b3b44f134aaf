import { AuditEntryId, type Instant, type User, type UserId } from "@tapedeck/domain"
import {
  type AuditCategory,
  type AuditEntry,
  type AuditEventType,
  type AuditHead,
  type AuditSeverity,
  auditEventTypes,
  classify
} from "@tapedeck/domain/audit"
import { Context, Effect, Layer } from "effect"
import { NotFound } from "../errors.ts"
import { numericIdIn } from "../input/numericId.ts"
import { type Page, pager } from "../input/pages.ts"
import type { Caller } from "../people/Caller.ts"
import { usersOf } from "../people/usersOf.ts"
import { storeOf } from "../store/Store.ts"

/** Entries without a link are counted to this number. */
const maxWaiting = 1_000

/** An audit entry and its user; null: the system (A7). */
export interface AuditTrailEntry {
  readonly entry: AuditEntry
  readonly user: User | null
}

/** All given filters must match. */
export interface AuditTrailFilter {
  readonly category?: AuditCategory
  readonly eventType?: AuditEventType
  readonly severity?: AuditSeverity
  readonly userId?: UserId
  readonly targetId?: string
  /** Earliest time, inclusive. */
  readonly since?: Instant
  /** Latest time, exclusive. */
  readonly until?: Instant
}

/** Reads the account's audit log. `authorize` decides which calls are permitted. */
export class AuditTrail extends Context.Service<
  AuditTrail,
  {
    /** Newest first. */
    readonly list: (
      caller: Caller,
      options: AuditTrailFilter & { readonly page: number }
    ) => Effect.Effect<Page<AuditTrailEntry>>
    readonly get: (caller: Caller, id: string) => Effect.Effect<AuditTrailEntry, NotFound>
    /** The end of the chain, null before the first link; and the number of entries without a link, counted to `maxWaiting`. */
    readonly chain: (caller: Caller) => Effect.Effect<{ readonly head: AuditHead | null; readonly waiting: number }>
  }
>()("@tapedeck/core/AuditTrail") {
  static readonly layer = Layer.effect(
    AuditTrail,
    Effect.gen(function* () {
      const store = yield* storeOf("auditEntries", "auditSeals", "users")
      const page = yield* pager

      const withUsers = Effect.fnUntraced(function* (entries: ReadonlyArray<AuditEntry>) {
        const users = yield* usersOf(
          store,
          entries.map(({ userId }) => userId)
        )
        return entries.map(
          (entry): AuditTrailEntry => ({
            entry,
            user: entry.userId === null ? null : (users.get(entry.userId) ?? null)
          })
        )
      })

      const list = Effect.fn("AuditTrail.list")(function* (
        caller: Caller,
        { page: number, category, eventType, severity, ...rest }: AuditTrailFilter & { readonly page: number }
      ) {
        const eventTypes = auditEventTypes.filter((one) => {
          const is = classify(one)
          return (
            (category === undefined || is.category === category) &&
            (severity === undefined || is.severity === severity) &&
            (eventType === undefined || one === eventType)
          )
        })
        const found = yield* page(number, (slice) =>
          store.auditEntries.page({ accountId: caller.account.id, eventTypes, ...rest }, slice)
        )
        return { ...found, items: yield* withUsers(found.items) }
      })

      const get = Effect.fn("AuditTrail.get")(function* (caller: Caller, id: string) {
        const number = numericIdIn(id)
        const entry = number === undefined ? undefined : yield* store.auditEntries.byId(AuditEntryId.make(number))
        if (entry === undefined || entry.accountId !== caller.account.id) {
          return yield* new NotFound({ what: "Audit entry" })
        }
        const [found] = yield* withUsers([entry])
        return found!
      })

      const chain = Effect.fn("AuditTrail.chain")(function* ({ account }: Caller) {
        const head = yield* store.auditSeals.head(account.id)
        return { head: head ?? null, waiting: yield* store.auditSeals.waiting(account.id, maxWaiting) }
      })

      return AuditTrail.of({ list, get, chain })
    })
  )
}
