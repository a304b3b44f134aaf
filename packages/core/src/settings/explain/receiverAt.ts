import type { AuditDestination, AuditEntry, Automation } from "@tapedeck/domain"
import { Effect } from "effect"
import type { Store } from "../../Store.ts"
import { before, findEntries } from "./auditSearch.ts"

/** The settings of an automation or a destination at the time of an audit entry. */
export type ReceiverState =
  | { readonly _tag: "NotThereYet"; readonly made: AuditEntry | null }
  /** There are too many changes to search. */
  | { readonly _tag: "NotKnown" }
  | { readonly _tag: "TurnedOff"; readonly by: AuditEntry | null }
  /** `changes`: what was changed of it since, the newest first. */
  | { readonly _tag: "TurnedOn"; readonly changes: ReadonlyArray<AuditEntry> }

/** Reverts the changes in the audit log, beginning with the present settings. */
export const receiverAt = Effect.fnUntraced(function* (
  store: Pick<Store, "auditEntries">,
  kind: "automation" | "audit_destination",
  { accountId, createdAt, enabled, id }: Automation | AuditDestination,
  entry: AuditEntry
) {
  const of = { accountId, targetId: id, since: createdAt }
  const [made] = (yield* findEntries(store, { ...of, eventTypes: [`${kind}.created`] }, 1)).entries
  // If its creation is not in the log, as for a start document, instants are compared.
  const isLater = made === undefined ? createdAt >= entry.at : made.id > entry.id
  if (isLater) return { _tag: "NotThereYet", made: made ?? null } as ReceiverState
  const { entries, whole } = yield* findEntries(store, { ...of, eventTypes: [`${kind}.updated`] })
  if (!whole) return { _tag: "NotKnown" } as ReceiverState
  const changes = entries.filter((change) => change.id > entry.id)
  if (before(changes, "enabled", enabled)) return { _tag: "TurnedOn", changes } as ReceiverState
  const by = entries.find(({ id, metadata }) => id <= entry.id && metadata.changes.enabled?.to === false)
  return { _tag: "TurnedOff", by: by ?? null } as ReceiverState
})
