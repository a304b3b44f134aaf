import type { DeliveryFilter } from "@tapedeck/core"
import type { Delivery } from "@tapedeck/domain"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { AttemptTexts } from "./attempts.ts"
import type { ReadRow } from "./inHand.ts"
import type { Parameter, Query } from "./Query.ts"

/** What never changes about a delivery, but its body, which is a text of its own: it may be long, and is never looked into. */
export type FixedPart = Omit<Delivery, "body" | "state" | "attempts">

type DeliveryColumns = readonly [sequence: number, state: string, attempts: number, document: string, body: string]

/** A delivery in a row's first columns. */
export type DeliveryRow = readonly [...DeliveryColumns, ...more: ReadonlyArray<unknown>]

export const deliveryColumns = "d.sequence, d.state_document, d.attempts, o.document, o.body"
export const deliveryTables = "deliveries d JOIN delivery_documents o ON o.sequence = d.sequence"

/** In these states something more will happen: such a delivery has a place on the agenda, and the others have none. */
const unfinished: ReadonlySet<string> = new Set(["Scheduled", "Attempting", "Waiting"])

/** The conditions of a filter, and what stands for their parameters. */
const conditionsOf = ({ automationId, destinationId, recordingUuid, state }: DeliveryFilter) => {
  const where = ["1 = 1"]
  const of: Array<Parameter> = []
  const ask = (condition: string, value: Parameter | undefined) => {
    if (value === undefined) return
    where.push(condition)
    of.push(value)
  }
  if (state !== undefined && unfinished.has(state)) {
    // By deliveries_open: what has ended, which may be a million, is not looked at.
    where.push("d.due_at IS NOT NULL")
    ask("d.receiver = ? AND d.automation_id IS NOT NULL", automationId)
    ask("d.receiver = ? AND d.destination_id IS NOT NULL", destinationId)
  } else {
    ask("d.automation_id = ?", automationId)
    ask("d.destination_id = ?", destinationId)
  }
  ask("d.recording_uuid = ?", recordingUuid)
  ask("d.state = ?", state)
  return [where.join(" AND "), of] as const
}

export type DeliveryRows = ReturnType<typeof makeDeliveryRows>

export const makeDeliveryRows = (query: Query, texts: AttemptTexts) => {
  const attemptsOf = ([sequence, , count, , body]: DeliveryRow): Effect.Effect<Delivery["attempts"], SqlError> =>
    count === 0
      ? Effect.succeed([])
      : Effect.flatMap(
          query<[string]>("SELECT document FROM delivery_attempts WHERE sequence = ? ORDER BY place", sequence),
          (found) => Effect.forEach(found, ([text]) => texts.decode(text, body))
        )

  const deliveryOf = (row: DeliveryRow): Effect.Effect<Delivery, SqlError> => {
    const [, stateText, , document, body] = row
    const state = JSON.parse(stateText) as Delivery["state"]
    return Effect.map(attemptsOf(row), (attempts) => ({
      ...(JSON.parse(document) as FixedPart),
      body,
      state,
      attempts
    }))
  }

  /** With what a settlement has to find unchanged. */
  const inHandById = Effect.fnUntraced(function* (id: string): Effect.fn.Return<ReadRow | undefined, SqlError> {
    const [row] = yield* query<readonly [...DeliveryColumns, fence: number]>(
      `SELECT ${deliveryColumns}, d.fence FROM ${deliveryTables} WHERE d.id = ?`,
      id
    )
    if (row === undefined) return undefined
    const [sequence, stateText, , , , fence] = row
    return { sequence, fence, stateText, delivery: yield* deliveryOf(row) }
  })

  const select = (rest: string, parameters: ReadonlyArray<Parameter>) =>
    Effect.flatMap(
      query<DeliveryRow>(`SELECT ${deliveryColumns} FROM ${deliveryTables} WHERE ${rest}`, ...parameters),
      (rows) => Effect.forEach(rows, deliveryOf)
    )

  return {
    deliveryOf,
    inHandById,
    byId: (id: string) => Effect.map(select("d.id = ?", [id]), ([one]) => one),
    list: (filter: DeliveryFilter) => {
      const [where, of] = conditionsOf(filter)
      return select(`${where} ORDER BY d.sequence`, of)
    },
    newestFirst: (filter: DeliveryFilter, limit: number, offset: number) => {
      const [where, of] = conditionsOf(filter)
      return select(`${where} ORDER BY d.sequence DESC LIMIT ? OFFSET ?`, [...of, limit, offset])
    },
    count: (filter: DeliveryFilter) => {
      const [where, of] = conditionsOf(filter)
      return Effect.map(query<[number]>(`SELECT count(*) FROM deliveries d WHERE ${where}`, ...of), ([row]) =>
        Number(row![0])
      )
    }
  }
}
