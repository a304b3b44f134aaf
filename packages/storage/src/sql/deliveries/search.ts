import { type DeliverySearch, type FoundDeliveries, maxScanned } from "@tapedeck/core"
import type { ListedDelivery } from "@tapedeck/domain/internal/delivery"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Database } from "../database/Database.ts"
import { lookup, type Parameter } from "../database/statements.ts"
import { type DeliveryLists, isDelivered, queuedAs } from "./lists.ts"
import { withDocuments } from "./rows.ts"

interface Conditions {
  readonly where: string
  readonly parameters: ReadonlyArray<Parameter>
}

const conditions = (list: ReadonlyArray<readonly [condition: string, value?: Parameter | undefined]>): Conditions => ({
  where: ["1 = 1", ...list.map(([condition]) => condition)].join(" AND "),
  parameters: list.flatMap(([, value]) => (value === undefined ? [] : [value]))
})

/** A part of the deliveries that an index has in their order, and that has all that match. */
const drivenBy = ({ accountId, automationId, destinationId, recordingUuid, state }: DeliverySearch) => {
  const by = (table: string, ...list: Parameters<typeof conditions>[0]) => ({ table, ...conditions(list) })
  if (state !== undefined && queuedAs[state] !== undefined) return by("delivery_queue")
  if (recordingUuid !== undefined) return by("deliveries", ["recording_uuid = ?", recordingUuid])
  if (state === "PermanentlyFailed" || state === "Cancelled" || state === "Skipped") {
    return by("deliveries", ["account_id = ?", accountId], ["ended_as = ?", state])
  }
  if (automationId !== undefined) return by("deliveries", ["automation_id = ?", automationId])
  if (destinationId !== undefined) return by("deliveries", ["destination_id = ?", destinationId])
  return by("deliveries", ["account_id = ?", accountId])
}

/** Maximum difference of nodes' clocks: a delivery may have been created so much earlier or later than its place says. */
const slackMs = 60_000

/** Searches deliveries by an index, newest first, and scans `maxScanned` of them at most. */
export const makeDeliverySearch = ({ dialect, query }: Database, { listed }: Pick<DeliveryLists, "listed">) => {
  const text = (column: string, key: string) => dialect.jsonText(column, key)

  /** Conditions of a search. */
  const tests = (search: DeliverySearch) => {
    const { accountId, automationId, destinationId, event, recordingUuid, since, state, statusCode, until } = search
    const queued = state === undefined ? undefined : queuedAs[state]
    const isFixedRead = event !== undefined || since !== undefined || until !== undefined
    const createdAt = `CAST(${text("o.document", "createdAt")} AS ${dialect.integer})`
    const code = `CAST(${text("a.document", "statusCode")} AS ${dialect.integer})`
    const given = [
      ["d.account_id = ?", accountId],
      ["d.automation_id = ?", automationId],
      ["d.destination_id = ?", destinationId],
      ["d.recording_uuid = ?", recordingUuid],
      [`${text("o.document", "event")} = ?`, event],
      [`${createdAt} >= ?`, since],
      [`${createdAt} < ?`, until],
      [
        `EXISTS (SELECT 1 FROM delivery_attempts a WHERE ${lookup("a.sequence", "d.sequence")} AND ${code} = ?)`,
        statusCode
      ]
    ] as const
    const { parameters, where } = conditions(given.filter(([, value]) => value !== undefined))
    const ofState =
      state === undefined ? "" : ` AND ${queued ?? (state === "Delivered" ? isDelivered : `d.ended_as = '${state}'`)}`
    return {
      tables: `CROSS JOIN deliveries d ${isFixedRead ? withDocuments : ""}`,
      where: `${lookup("d.sequence", "q.sequence")}${ofState} AND ${where}`,
      parameters
    }
  }

  /** The account's first delivery that was made at this instant or later, found by halving. */
  const firstFrom = Effect.fnUntraced(function* (accountId: number, instant: number) {
    const at = (from: number) =>
      Effect.map(
        query<[number, number | string]>(
          `SELECT d.sequence, ${text("o.document", "createdAt")} FROM deliveries d ${withDocuments}
            WHERE d.account_id = ? AND d.sequence >= ? ORDER BY d.sequence LIMIT 1`,
          accountId,
          from
        ),
        ([row]) => row
      )
    const [last] = yield* query<[number]>(
      "SELECT sequence FROM deliveries WHERE account_id = ? ORDER BY sequence DESC LIMIT 1",
      accountId
    )
    let low = 0
    let high = last === undefined ? 0 : Number(last[0]) + 1
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      const row = yield* at(middle)
      if (row === undefined || Number(row[1]) >= instant) high = middle
      else low = Number(row[0]) + 1
    }
    return low
  })

  const search = Effect.fnUntraced(function* <A>(
    filters: DeliverySearch,
    after: number | null,
    limit: number,
    each: (delivery: ListedDelivery) => A
  ): Effect.fn.Return<FoundDeliveries<A>, SqlError> {
    const { accountId, since, until } = filters
    const from = since === undefined ? 0 : yield* firstFrom(accountId, since - slackMs)
    const before = until === undefined ? Number.MAX_SAFE_INTEGER : yield* firstFrom(accountId, until + slackMs)
    const driver = drivenBy(filters)
    const { parameters, tables, where } = tests(filters)
    const columns = driver.table === "deliveries" ? "sequence" : "sequence, due_kind, leased_until, retry"
    const window = `SELECT ${columns} FROM ${driver.table}
      WHERE ${driver.where} AND sequence >= ? AND sequence < ? ORDER BY sequence DESC LIMIT ?`
    const inWindow = (size: number) => [
      ...driver.parameters,
      from,
      Math.min(before, after ?? Number.MAX_SAFE_INTEGER),
      size
    ]
    const found = yield* query<[number]>(
      `SELECT q.sequence FROM (${window}) AS q ${tables} WHERE ${where} ORDER BY q.sequence DESC LIMIT ?`,
      ...inWindow(maxScanned),
      ...parameters,
      limit + 1
    )
    const sequences = found.slice(0, limit).map(([sequence]) => Number(sequence))
    const [ends] = yield* query<[number | null, number]>(
      `SELECT min(sequence), count(*) FROM (${window}) AS q`,
      ...inWindow(maxScanned + 1)
    )
    const isWhole = Number(ends![1]) <= maxScanned
    const last = ends![0] === null ? null : Number(ends![0]) + (isWhole ? 0 : 1)
    const next = found.length > limit ? sequences.at(-1)! : isWhole ? null : last
    // The first page tells how many there are.
    const [counted] =
      after !== null
        ? [[sequences.length]]
        : yield* query<[number]>(
            `SELECT count(*) FROM (${window}) AS q ${tables} WHERE ${where}`,
            ...inWindow(maxScanned),
            ...parameters
          )
    const items = yield* listed(sequences, each)
    return { count: Number(counted![0]), isExact: isWhole, items, first: sequences[0] ?? null, next }
  })

  return search
}
