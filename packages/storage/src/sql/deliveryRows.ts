import type { DeliveryFilter } from "@tapedeck/core"
import {
  type Attempt,
  type Delivery,
  decideDelivery,
  type Instant,
  isFinalState,
  listedDelivery,
  MAX_LISTED_BODY_BYTES
} from "@tapedeck/domain"
import { Effect, Result } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { AttemptTexts } from "./attempts.ts"
import { forEachEager } from "./eager.ts"
import type { ReadRow } from "./inHand.ts"
import { listed } from "./listed.ts"
import { lookedUp } from "./lookedUp.ts"
import type { Parameter, Query } from "./Query.ts"

/** What never changes about a delivery, but its body, which is a text of its own: it may be long, and is never looked into. */
export type FixedPart = Omit<Delivery, "body" | "state" | "attempts">

/** What is in the queue of a delivery that is not at its end; the rest is null then. */
type QueuedColumns = readonly [
  sequence: number,
  document: string,
  body: string,
  state: string | null,
  claimedAt: number | null,
  attempts: number | null
]

/** A queued delivery in a row's first columns. */
export type QueuedRow = readonly [...QueuedColumns, ...more: ReadonlyArray<unknown>]

export const queuedColumns = "q.sequence, o.document, o.body, q.state, q.claimed_at, q.attempts"
export const queuedTables = `delivery_queue q JOIN delivery_documents o ON ${lookedUp("o.sequence", "q.sequence")}`

export type EndRow = readonly [endedAs: string | null, endedAt: number | null, deliveredAt: number | null]
type DeliveryRow = readonly [...QueuedColumns, ...EndRow]

/** What tells of an end (`endedState`). */
export const endColumns = `d.ended_as, d.ended_at,
  (SELECT max(a.delivered_at) FROM delivery_attempts a WHERE a.sequence = d.sequence)`
const deliveryColumns = (body: string) =>
  `d.sequence, o.document, ${body}, q.state, q.claimed_at, q.attempts, ${endColumns}`
/** As much of a body as tells whether it is longer than lists give of it: a character has at least one byte. */
const listedBody = `substr(o.body, 1, ${MAX_LISTED_BODY_BYTES + 1})`
const withDocuments = `JOIN delivery_documents o ON ${lookedUp("o.sequence", "d.sequence")}`
const withQueue = `JOIN delivery_queue q ON ${lookedUp("q.sequence", "d.sequence")}`
/** What tells which deliveries there are, and with it what tells what they are. */
const allTables = { found: "deliveries d", whole: `deliveries d ${withDocuments} LEFT ${withQueue}` }
/** From the queue on, without what has ended, which may be a million. SQLite keeps the order of a CROSS JOIN. */
const foundOpen = "delivery_queue q CROSS JOIN deliveries d"
const openTables = { found: foundOpen, whole: `${foundOpen} ${withDocuments}` }

/** What the queue has of a delivery in these states: any other has ended. */
const queuedAs: Readonly<Record<string, string>> = {
  Scheduled: "q.due_kind = 'attempt' AND q.leased_until = 0 AND q.retry = 0",
  Waiting: "q.due_kind = 'attempt' AND q.leased_until = 0 AND q.retry = 1",
  Attempting: "(q.due_kind <> 'attempt' OR q.leased_until > 0)",
  open: "1 = 1"
}

/** Of what an attempt has delivered, which is almost all, `deliveries` says nothing: it is not in the queue any more. */
const isDelivered = `(d.ended_as = 'Delivered' OR d.ended_as IS NULL
  AND NOT EXISTS (SELECT 1 FROM delivery_queue w WHERE ${lookedUp("w.sequence", "d.sequence")}))`

/** How it ended, where that is not what `ended_as` is. */
const endedAs: Readonly<Record<string, string>> = {
  Delivered: isDelivered,
  deliveredOrOpen: "(d.ended_as = 'Delivered' OR d.ended_as IS NULL)"
}

type Selecting = Omit<DeliveryFilter, "state"> & {
  readonly state?: DeliveryFilter["state"] | "open" | "deliveredOrOpen"
}

/** The tables and conditions of a filter, and what stands for their parameters. */
const selectionOf = ({ accountId, automationId, destinationId, recordingUuid, state }: Selecting) => {
  const queued = state === undefined ? undefined : queuedAs[state]
  const where = [queued === undefined ? "1 = 1" : lookedUp("d.sequence", "q.sequence")]
  const of: Array<Parameter> = []
  const ask = (condition: string, value: Parameter | undefined) => {
    if (value === undefined) return
    where.push(condition)
    of.push(value)
  }
  if (queued !== undefined) {
    where.push(queued)
    ask("q.receiver = ? AND d.automation_id IS NOT NULL", automationId)
    ask("q.receiver = ? AND d.destination_id IS NOT NULL", destinationId)
  } else {
    ask("d.automation_id = ?", automationId)
    ask("d.destination_id = ?", destinationId)
    const ended = state === undefined ? undefined : endedAs[state]
    if (ended === undefined) ask("d.ended_as = ?", state)
    else where.push(ended)
  }
  ask("d.recording_uuid = ?", recordingUuid)
  ask("d.account_id = ?", accountId)
  return { tables: queued === undefined ? allTables : openTables, where: where.join(" AND "), of }
}

/** The state of a queued delivery: once it is claimed, its row says what was before, and when that was. */
export const queuedDeliveryState = (stateText: string, claimedAt: number | null): Delivery["state"] => {
  const before = JSON.parse(stateText) as Delivery["state"]
  if (claimedAt === null) return before
  // Its schedule says nothing of the start of an attempt.
  return Result.getOrThrow(decideDelivery(before, { _tag: "AttemptStarted", at: claimedAt as Instant }, []))
}

const none: Delivery["attempts"] = []

export type DeliveryRows = ReturnType<typeof makeDeliveryRows>

export const makeDeliveryRows = (query: Query, texts: AttemptTexts) => {
  const attemptsOf = (sequence: number): Effect.Effect<Delivery["attempts"], SqlError> =>
    Effect.flatMap(
      query<[string]>("SELECT document FROM delivery_attempts WHERE sequence = ? ORDER BY place", sequence),
      (found) => forEachEager(found, ([text]) => texts.decode(text))
    )

  /** A queued delivery, but for its attempts. */
  const untried = ([, document, body, stateText, claimedAt]: QueuedRow): Delivery => {
    const fixed = JSON.parse(document) as FixedPart
    return { ...fixed, body, state: queuedDeliveryState(stateText!, claimedAt), attempts: none }
  }

  const queuedOf = (row: QueuedRow): Effect.Effect<Delivery, SqlError> => {
    const delivery = untried(row)
    const [sequence, , , , , count] = row
    return count === 0
      ? Effect.succeed(delivery)
      : Effect.map(attemptsOf(sequence), (attempts) => ({ ...delivery, attempts }))
  }

  /** The attempts of many, by their sequences; most have none. */
  const attemptsOfAll = Effect.fnUntraced(function* (
    all: ReadonlyArray<QueuedRow>
  ): Effect.fn.Return<ReadonlyMap<number, Delivery["attempts"]>, SqlError> {
    const attempts = new Map<number, Array<Attempt>>()
    const tried: Array<number> = []
    for (const [sequence, , , , , count] of all) if (count !== 0) tried.push(sequence)
    if (tried.length === 0) return attempts
    const { marks, values } = listed(tried)
    const select = `SELECT sequence, document FROM delivery_attempts WHERE sequence IN ${marks} ORDER BY sequence, place`
    for (const [sequence, text] of yield* query<[number, string]>(select, ...values)) {
      const attempt = yield* texts.decode(text)
      const before = attempts.get(sequence)
      if (before === undefined) attempts.set(sequence, [attempt])
      else before.push(attempt)
    }
    return attempts
  })

  /** Of as many queued rows, in their order. */
  const queued = Effect.fnUntraced(function* (
    all: ReadonlyArray<QueuedRow>
  ): Effect.fn.Return<ReadonlyArray<Delivery>, SqlError> {
    const attempts = yield* attemptsOfAll(all)
    const deliveries: Array<Delivery> = []
    for (const row of all) {
      const delivery = untried(row)
      const tried = attempts.get(row[0])
      deliveries.push(tried === undefined ? delivery : { ...delivery, attempts: tried })
    }
    return deliveries
  })

  const deliveryOf = (row: DeliveryRow): Effect.Effect<Delivery, SqlError> => {
    const [sequence, document, body, stateText, , , ...end] = row
    if (stateText !== null) return queuedOf(row)
    const state = endedState(...end)
    if (state === undefined)
      return Effect.die(new Error(`delivery number ${sequence} has not ended, and is not in the queue`))
    return Effect.map(attemptsOf(sequence), (attempts) => ({
      ...(JSON.parse(document) as FixedPart),
      body,
      state,
      attempts
    }))
  }

  /** With what a settlement has to find unchanged. Undefined for one that has ended. */
  const queuedById = Effect.fnUntraced(function* (id: string): Effect.fn.Return<ReadRow | undefined, SqlError> {
    const [row] = yield* query<readonly [...QueuedColumns, fence: number]>(
      `SELECT ${queuedColumns}, q.fence FROM deliveries d ${withDocuments} ${withQueue} WHERE d.id = ?`,
      id
    )
    if (row === undefined) return undefined
    const [sequence, , , stateText, , , fence] = row
    return { sequence, fence, stateText: stateText!, delivery: yield* queuedOf(row) }
  })

  const rowsOf = (body: string, tables: string, rest: string, parameters: ReadonlyArray<Parameter>) =>
    query<DeliveryRow>(`SELECT ${deliveryColumns(body)} FROM ${tables} WHERE ${rest}`, ...parameters)

  const select = (tables: string, rest: string, parameters: ReadonlyArray<Parameter>) =>
    Effect.flatMap(rowsOf("o.body", tables, rest, parameters), (rows) => Effect.forEach(rows, deliveryOf))

  /** Each is cut before the next one's attempts are read. */
  const selectListed = (tables: string, rest: string, parameters: ReadonlyArray<Parameter>) =>
    Effect.flatMap(rowsOf(listedBody, tables, rest, parameters), (rows) =>
      Effect.forEach(rows, (row) => Effect.map(deliveryOf(row), listedDelivery))
    )

  return {
    queued,
    queuedById,
    byId: (id: string) => Effect.map(select(allTables.whole, "d.id = ?", [id]), ([one]) => one),
    list: (filter: DeliveryFilter) => {
      const { of, tables, where } = selectionOf(filter)
      return select(tables.whole, `${where} ORDER BY d.sequence`, of)
    },
    newestFirst: (filter: DeliveryFilter, limit: number, offset: number) => {
      const { of, tables, where } = selectionOf(filter)
      return selectListed(tables.whole, `${where} ORDER BY d.sequence DESC LIMIT ? OFFSET ?`, [...of, limit, offset])
    },
    count: (filter: DeliveryFilter) => {
      // To look for each delivered one in the queue, only to count it, takes many times as long as to count what is in the queue.
      const states = filter.state === "Delivered" ? (["deliveredOrOpen", "open"] as const) : [filter.state]
      const selections = states.map((state) => selectionOf({ ...filter, state }))
      const counts = selections.map(({ tables, where }) => `(SELECT count(*) FROM ${tables.found} WHERE ${where})`)
      return Effect.map(
        query<[number]>(`SELECT ${counts.join(" - ")}`, ...selections.flatMap(({ of }) => of)),
        ([row]) => Number(row![0])
      )
    }
  }
}

/** How a delivery ended, and when; nulls for one that has not. */
export const endOf = (state: Delivery["state"]) =>
  isFinalState(state) ? ([state._tag, (state as { readonly at: Instant }).at] as const) : ([null, null] as const)

/** The end that these tell of; undefined where it has not ended. */
export const endedState = (...[endedAs, endedAt, deliveredAt]: EndRow): Delivery["state"] | undefined => {
  if (endedAs !== null) return { _tag: endedAs, at: endedAt } as Delivery["state"]
  return deliveredAt === null ? undefined : ({ _tag: "Delivered", at: deliveredAt } as Delivery["state"])
}
