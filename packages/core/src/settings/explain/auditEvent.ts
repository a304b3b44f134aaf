import {
  type AuditDestination,
  type AuditEntry,
  type AuditFilters,
  classify,
  passesFilters,
  toIso
} from "@tapedeck/domain"
import { Effect } from "effect"
import type { Store } from "../../Store.ts"
import { before } from "./auditSearch.ts"
import { explanation } from "./explanation.ts"
import { receiverAt } from "./receiverAt.ts"

/** The filters in the form of the audit log (`destinationFields`). */
interface ToldFilters {
  readonly categories: AuditFilters["categories"]
  readonly event_types: AuditFilters["eventTypes"]
  readonly severities: AuditFilters["severities"]
}

/** Explains why an audit entry was not sent to a destination, by the destination's settings at that time (A6). */
export const whyNoAuditEvent = Effect.fnUntraced(function* (
  store: Pick<Store, "auditEntries">,
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
