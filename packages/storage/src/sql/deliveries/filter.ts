import type { DeliveryFilter } from "@tapedeck/core"
import { lookup, type Parameter } from "../database/statements.ts"

export const withDocuments = `JOIN delivery_documents o ON ${lookup("o.sequence", "d.sequence")}`
export const withQueue = `JOIN delivery_queue q ON ${lookup("q.sequence", "d.sequence")}`

/** The tables that find deliveries, and with them those that contain all columns of deliveries. */
export const allTables = { found: "deliveries d", whole: `deliveries d ${withDocuments} LEFT ${withQueue}` }
/** From the queue, without ended deliveries, of which there may be millions. SQLite keeps the order of a CROSS JOIN. */
const foundOpen = "delivery_queue q CROSS JOIN deliveries d"
const openTables = { found: foundOpen, whole: `${foundOpen} ${withDocuments}` }

/** The queue's condition for each state of a delivery that has not ended. */
export const queuedAs: Readonly<Record<string, string>> = {
  Scheduled: "q.due_kind = 'attempt' AND q.leased_until = 0 AND q.retry = 0",
  Waiting: "q.due_kind = 'attempt' AND q.leased_until = 0 AND q.retry = 1",
  Attempting: "(q.due_kind <> 'attempt' OR q.leased_until > 0)",
  open: "1 = 1"
}

/** A delivery that an attempt delivered, as most, has nulls in `deliveries`, and no row in the queue. */
export const isDelivered = `(d.ended_as = 'Delivered' OR d.ended_as IS NULL
  AND NOT EXISTS (SELECT 1 FROM delivery_queue w WHERE ${lookup("w.sequence", "d.sequence")}))`

/** The condition of an end, where it is not equality with `ended_as`. */
const endedAs: Readonly<Record<string, string>> = {
  Delivered: isDelivered,
  deliveredOrOpen: "(d.ended_as = 'Delivered' OR d.ended_as IS NULL)"
}

export type Selection = Omit<DeliveryFilter, "state"> & {
  readonly state?: DeliveryFilter["state"] | "open" | "deliveredOrOpen"
}

/** The tables, condition and parameters of a filter. */
export const selectionOf = ({
  accountId,
  auditEntryId,
  automationId,
  destinationId,
  recordingUuid,
  state
}: Selection) => {
  const queued = state === undefined ? undefined : queuedAs[state]
  const where = [queued === undefined ? "1 = 1" : lookup("d.sequence", "q.sequence")]
  const parameters: Array<Parameter> = []
  const add = (condition: string, value: Parameter | undefined) => {
    if (value === undefined) return
    where.push(condition)
    parameters.push(value)
  }
  if (queued !== undefined) {
    where.push(queued)
    add("q.receiver = ? AND d.automation_id IS NOT NULL", automationId)
    add("q.receiver = ? AND d.destination_id IS NOT NULL", destinationId)
  } else {
    add("d.automation_id = ?", automationId)
    add("d.destination_id = ?", destinationId)
    const ended = state === undefined ? undefined : endedAs[state]
    if (ended === undefined) add("d.ended_as = ?", state)
    else where.push(ended)
  }
  add("d.recording_uuid = ?", recordingUuid)
  add("d.audit_entry_id = ?", auditEntryId)
  add("d.account_id = ?", accountId)
  return { tables: queued === undefined ? allTables : openTables, where: where.join(" AND "), parameters }
}
