import {
  type AccountId,
  type AuditDestination,
  type AuditFilters,
  type Automation,
  type Delivery,
  type Instant,
  type Recording,
  toIso
} from "@tapedeck/domain"
import { type AuditEntry, type AuditEventType, classify } from "@tapedeck/domain/audit"
import { type CancellationCause, deliveryKind, type NoDeliveryReason } from "@tapedeck/domain/internal/delivery"
import { passesFilters } from "@tapedeck/domain/internal/receivers"
import { Effect } from "effect"
import type { Store } from "../store/Store.ts"

type Searched = Pick<Store, "auditEntries">

/** The reason why there is no delivery, as a sentence, and the audit entry from which it follows. */
export interface Explanation {
  readonly reason: NoDeliveryReason
  readonly text: string
  readonly entry: AuditEntry | null
}

export const explanation = (reason: NoDeliveryReason, text: string, entry: AuditEntry | null = null): Explanation => ({
  reason,
  text,
  entry
})

/** A query of an account's audit log. */
interface EntryQuery {
  readonly accountId: AccountId
  readonly eventTypes: ReadonlyArray<AuditEventType>
  readonly targetId: string
  /** Earliest time of an entry. */
  readonly since: Instant
}

/** Maximum number of changes of one target that are searched. */
const maxSearched = 1_000

/** Result of a search for audit entries, newest first. `whole` is false if there were more. */
interface EntrySearch {
  readonly entries: ReadonlyArray<AuditEntry>
  readonly whole: boolean
}

/** Returns the audit entries about a target, the newest `maxSearched`. Refused operations are not included. */
const findEntries = Effect.fnUntraced(function* ({ auditEntries }: Searched, query: EntryQuery) {
  const { count, items } = yield* auditEntries.page(query, { offset: 0, limit: maxSearched })
  return { entries: items.filter(({ status }) => status === "success"), whole: count <= maxSearched } as EntrySearch
})

/** Returns a setting before known changes, the newest of them first; `present` if none of them changed it. */
const before = <Value>(changes: ReadonlyArray<AuditEntry>, field: string, present: Value): Value =>
  changes.reduce((value, { metadata }) => {
    const change = metadata.changes[field]
    return change === undefined ? value : (change.from as Value)
  }, present)

/** The settings of an automation or a destination at the time of an audit entry. */
type ReceiverState =
  | { readonly _tag: "NotThereYet"; readonly made: AuditEntry | null }
  /** The target has too many changes to search. */
  | { readonly _tag: "NotKnown" }
  | { readonly _tag: "TurnedOff"; readonly by: AuditEntry | null }
  /** `changes`: the changes of its settings since then, newest first. */
  | { readonly _tag: "TurnedOn"; readonly changes: ReadonlyArray<AuditEntry> }

/** Reverts the changes in the audit log, beginning with the present settings. */
const receiverAt = Effect.fnUntraced(function* (
  store: Searched,
  kind: "automation" | "audit_destination",
  { accountId, createdAt, enabled, id }: Automation | AuditDestination,
  entry: AuditEntry
) {
  const of = { accountId, targetId: id, since: createdAt }
  const [made] = (yield* findEntries(store, { ...of, eventTypes: [`${kind}.created`] })).entries
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

/**
 * Explains why an automation has sent nothing about a recording. The time of adding it, and the automation's settings then,
 * are read from the audit log, which has no entries for start documents and the emulator's control plane.
 */
export const whyNoFolderEvent = Effect.fnUntraced(function* (
  store: Searched,
  automation: Automation,
  recording: Recording
) {
  const { accountId, folderId } = automation
  const moves = yield* findEntries(store, {
    accountId,
    eventTypes: ["recording.added_to_folder", "recording.removed_from_folder"],
    targetId: recording.uuid,
    since: recording.createdAt
  })
  const entered = moves.entries.find(({ metadata }) => metadata.changes.folder_id?.to === folderId)
  const isIn = recording.folderId === folderId
  // If its last move led to another folder, it returned by an operation without an audit entry.
  const isTold = entered !== undefined && (!isIn || moves.entries[0] === entered)
  if (isTold) return yield* whyNotFired(store, automation, entered)
  return isIn ? unpublished(automation, moves.whole) : elsewhere(automation, recording, moves.whole)
})

const unpublished = ({ createdAt, enabled }: Automation, whole: boolean): Explanation => {
  const why = whole
    ? "it was put in place with a start document or by a control plane, or the entry is not kept any more"
    : "there are too many moves to look through"
  return explanation(
    "not_known",
    `The recording is in the folder, and the audit log does not tell since when: ${why}. What is in a folder already fires ` +
      `nothing. The automation was made at ${toIso(createdAt)}, and is turned ${enabled ? "on" : "off"} now.`
  )
}

const elsewhere = ({ enabled, folderId }: Automation, recording: Recording, whole: boolean): Explanation => {
  const place = recording.folderId === null ? "in no folder" : `in the folder ${recording.folderId}`
  const isOff = enabled ? "" : " It is turned off, too."
  const scope = whole ? "as far as the audit log tells" : "as far as the latest moves in the audit log tell"
  return explanation(
    "not_in_folder",
    `The recording is ${place}, and was never added to the folder ${folderId} of this automation, ${scope}.${isOff}`
  )
}

/** The reason why it did not fire when a recording was added to the folder. */
const whyNotFired = Effect.fnUntraced(function* (store: Searched, automation: Automation, entered: AuditEntry) {
  const { createdAt, folderId } = automation
  const came = `The recording was added to the folder at ${toIso(entered.at)}`
  const state = yield* receiverAt(store, "automation", automation, entered)
  switch (state._tag) {
    case "NotThereYet": {
      const text = `${came}, and the automation was made later, at ${toIso(createdAt)}. What is in a folder already fires nothing.`
      return explanation("was_there_already", text, state.made ?? entered)
    }
    case "NotKnown":
      return explanation(
        "not_known",
        `${came}, and the automation was changed too often since to say what it was like.`
      )
    case "TurnedOff": {
      const since = state.by === null ? "" : `, since ${toIso(state.by.at)}`
      return explanation("was_turned_off", `${came}, while the automation was turned off${since}.`, state.by ?? entered)
    }
    case "TurnedOn": {
      const itsFolder = before(state.changes, "folder_id", folderId)
      if (itsFolder === folderId) {
        const text = `${came}, while the automation was turned on. Its delivery is not kept any more.`
        return explanation("not_kept", text, entered)
      }
      const moved = state.changes.find(({ metadata }) => metadata.changes.folder_id?.to === folderId)
      const text = `${came}. The automation belonged to the folder ${itsFolder} then, and what is in a folder already fires nothing.`
      return explanation("was_of_another_folder", text, moved ?? entered)
    }
  }
})

/** The filters in the form of the audit log (`destinationFields`). */
interface ToldFilters {
  readonly categories: AuditFilters["categories"]
  readonly event_types: AuditFilters["eventTypes"]
  readonly severities: AuditFilters["severities"]
}

/** Explains why an audit entry was not sent to a destination, by the destination's settings at that time (A6). */
export const whyNoAuditEvent = Effect.fnUntraced(function* (
  store: Searched,
  destination: AuditDestination,
  entry: AuditEntry
) {
  const made = `The entry was made at ${toIso(entry.at)}`
  const state = yield* receiverAt(store, "audit_destination", destination, entry)
  switch (state._tag) {
    case "NotThereYet":
      return explanation(
        "was_there_already",
        `${made}, and the destination later, at ${toIso(destination.createdAt)}.`,
        state.made
      )
    case "NotKnown":
      return explanation(
        "not_known",
        `${made}, and the destination was changed too often since to say what it was like.`
      )
    case "TurnedOff":
      return explanation("was_turned_off", `${made}, while the destination was turned off.`, state.by)
    case "TurnedOn": {
      const { filters } = destination
      const present: ToldFilters = { ...filters, event_types: filters.eventTypes }
      const { event_types, ...others } = before(state.changes, "filters", present)
      const filtersThen: AuditFilters = { ...others, eventTypes: event_types }
      return passesFilters(entry, filtersThen)
        ? explanation("not_kept", `${made}, and the destination let it through. Its delivery is not kept any more.`)
        : explanation("filtered_out", filterText(entry, filtersThen))
    }
  }
})

/** Each filter that the entry does not pass. */
const filterText = ({ eventType }: AuditEntry, { categories, eventTypes, severities }: AuditFilters): string => {
  const { category, severity } = classify(eventType)
  const stops = [
    stopOf("categories", categories, category),
    stopOf("event_types", eventTypes, eventType),
    stopOf("severities", severities, severity)
  ].flat()
  return `The destination's filters of then do not let the entry through: ${stops.join("; ")}.`
}

const stopOf = (name: string, list: ReadonlyArray<string>, value: string): ReadonlyArray<string> =>
  list.length === 0 || list.includes(value) ? [] : [`${name} lets through ${list.join(", ")}, and it is ${value}`]

/** The cause of a cancellation. */
export interface Cancellation {
  readonly cause: CancellationCause
  /** Null while the attempt that was in flight then has not ended. */
  readonly at: Instant | null
  /** Audit entry of the cancellation. */
  readonly entry: AuditEntry | null
}

/** The events by which a receiver's deliveries are cancelled. */
const cancelling = {
  automation: ["automation.updated", "automation.deleted", "automation.redelivered", "automation.delivery_cancelled"],
  audit: [
    "audit_destination.updated",
    "audit_destination.deleted",
    "audit_destination.redelivered",
    "audit_destination.delivery_cancelled"
  ]
} as const satisfies Readonly<Record<ReturnType<typeof deliveryKind>, ReadonlyArray<AuditEventType>>>

/**
 * Returns the cause of a delivery's cancellation, if any. Every operation that disables or deletes its receiver cancels all pending deliveries
 * (W11), so it was the first one after the delivery was created.
 */
export const cancellationOf = Effect.fnUntraced(function* (store: Searched, delivery: Delivery) {
  const { automationId, destinationId, state } = delivery
  const isPending = state._tag === "Attempting" && state.cancelRequested
  if (state._tag !== "Cancelled" && !isPending) return null
  const at = state._tag === "Cancelled" ? state.at : null
  const { entries, whole } = yield* findEntries(store, {
    accountId: delivery.accountId,
    eventTypes: cancelling[deliveryKind(delivery)],
    targetId: automationId ?? destinationId ?? "",
    since: delivery.createdAt
  })
  for (const entry of whole ? entries.toReversed() : []) {
    const cause = causeIn(entry, delivery)
    if (cause !== undefined) return { cause, at, entry } as Cancellation
  }
  return { cause: "not_known", at, entry: null } as Cancellation
})

const causeIn = ({ eventType, metadata }: AuditEntry, { id }: Delivery): CancellationCause | undefined => {
  const { changes } = metadata
  if (eventType.endsWith(".deleted")) return "deleted"
  if (eventType.endsWith(".redelivered")) return changes.delivery?.from === id ? "delivered_again" : undefined
  if (eventType.endsWith(".delivery_cancelled")) return changes.delivery?.from === id ? "called_off" : undefined
  return changes.enabled?.to === false ? "turned_off" : undefined
}
