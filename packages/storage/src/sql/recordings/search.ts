import { maxCounted, maxTermOwners, type RecordingPlace, type RecordingSearch } from "@tapedeck/core"
import type { AccountId, RecordingId } from "@tapedeck/domain"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { updateSearchIndex } from "../../sqlite/searchIndex.ts"
import type { Database } from "../database/Database.ts"
import { inList, type Parameter } from "../database/statements.ts"
import { listFor } from "./lists.ts"
import { ofCount, pgSearch } from "./pgSearch.ts"
import {
  all,
  type Conditions,
  clamped,
  exactTokens,
  indexQuery,
  inText,
  maxAt,
  type OwnedSearch,
  type OwnedTerm,
  orderOf,
  period
} from "./searchConditions.ts"
import type { Entry, Views } from "./Views.ts"

/**
 * Number of rows whose texts are tested by one statement, and number of such statements after which PostgreSQL orders all that its text index
 * finds instead. SQLite's statements keep all requests waiting, so it goes on.
 */
const maxTested = 2_000
const maxTests = 10

/** Sorts after every other character: a prefix and this character end the range of the words that begin with the prefix. */
const lastCharacter = "\u{10ffff}"

/** Rows of SQLite's text index. */
const inSqliteIndex = (search: OwnedSearch): Conditions => {
  const match = indexQuery(
    { exact: exactTokens(search), terms: search.terms },
    {
      ...{ and: " AND ", or: " OR " },
      exact: (text) => `"${text}"`,
      beginning: (text) => `"${text}" *`
    }
  )
  const { since = -maxAt, until = maxAt } = search
  return {
    where: "recording_search MATCH ? AND recording_search.rowid >= ? << 20 AND recording_search.rowid < ? << 20",
    parameters: [match, clamped(since), clamped(until)]
  }
}

const sqliteRows = (search: OwnedSearch, column: string, most: number) => {
  const { parameters, where } = inSqliteIndex(search)
  const joined = "recording_search CROSS JOIN recordings r ON r.place = recording_search.rowid"
  const rows = `SELECT r.id, r.revision, r.${column} FROM ${joined} WHERE ${where} LIMIT ?`
  return { rows, parameters: [...parameters, most] }
}

/**
 * Searches by the text index, and where that finds more than is counted, by the order's index: of so many, a page is soon found
 * there. So no search reads in the order of all recordings (docs/adr/0030-search-of-recordings.md).
 */
export const recordingSearch = (database: Database, views: Views) => {
  const { dialect, query } = database
  const isSqlite = dialect.name === "sqlite"
  const pg = pgSearch(query)

  const counted = (rows: string, parameters: ReadonlyArray<Parameter>) =>
    Effect.map(
      query<[number]>(`SELECT count(*) FROM (${rows} LIMIT ?) AS found`, ...parameters, maxCounted + 1),
      ([row]) => Number(row![0])
    )

  const listCount = (search: OwnedSearch) => {
    const list = listFor(search)
    if (search.since !== undefined || search.until !== undefined) {
      const { parameters, where } = all(list, ...period(search))
      return counted(`SELECT 1 FROM recordings WHERE ${where}`, parameters)
    }
    return Effect.map(query<[number]>("SELECT count FROM recording_lists WHERE key = ?", list.key), ([row]) =>
      Number(row?.[0] ?? 0)
    )
  }

  const sqliteCount = (search: OwnedSearch) => {
    const { parameters, where } = inSqliteIndex(search)
    return counted(`SELECT 1 FROM recording_search WHERE ${where}`, parameters)
  }

  const byOrder = (search: OwnedSearch, after: RecordingPlace | null, limit: number, conditions: Conditions) => {
    const { behind, by } = orderOf(search)
    const { parameters, where } = all(conditions, ...period(search), ...behind(after))
    return views.entries(`SELECT id, revision FROM recordings WHERE ${where} ${by} LIMIT ?`, ...parameters, limit)
  }

  /** The records that the text index finds, at most one more than are counted, in the search's order. */
  const byIndex = Effect.fnUntraced(function* (
    search: OwnedSearch,
    after: RecordingPlace | null,
    limit: number,
    most = maxCounted + 1
  ) {
    const { behind, by, column } = orderOf(search)
    const found = isSqlite ? sqliteRows(search, column, most) : yield* pg.rows(search, column, most)
    const rest = all({ where: "1 = 1", parameters: [] }, ...behind(after))
    // The rows of a page are in the order of the inner query: there is one row of the count.
    return yield* views.countedEntries(
      `WITH found AS MATERIALIZED (${found.rows}) SELECT id, revision, found FROM (SELECT count(*) AS found FROM found) AS counted
        LEFT JOIN (SELECT id, revision FROM found WHERE ${rest.where} ${by} LIMIT ?) AS page ON 1 = 1`,
      ...found.parameters,
      ...rest.parameters,
      limit
    )
  })

  /** Tests the texts of so many rows in the order's index. `last`: the place of the last one; undefined at the end of the list. */
  const testedPart = Effect.fnUntraced(function* (
    search: OwnedSearch,
    after: RecordingPlace | null,
    limit: number,
    { list, rows }: { readonly list: Conditions; readonly rows: number }
  ) {
    const { behind, by, column, upTo } = orderOf(search)
    const { parameters, where } = all(list, ...period(search), ...behind(after))
    const [end] = yield* query<[number | string, number]>(
      `SELECT ${column}, id FROM recordings WHERE ${where} ${by} LIMIT 1 OFFSET ?`,
      ...parameters,
      rows - 1
    )
    const last: RecordingPlace | undefined = end && { key: end[0], id: end[1] }
    const tested = all(list, inText(search), ...(last === undefined ? [] : [upTo(last)]))
    return { found: yield* byOrder(search, after, limit, tested), last }
  })

  /** Tests the texts of rows in the order's index, some at a time. Other requests run in between. */
  const byTests = Effect.fnUntraced(function* (
    search: OwnedSearch,
    after: RecordingPlace | null,
    limit: number,
    list: Conditions
  ) {
    const found: Array<Entry> = []
    let place = after
    for (let tests = 1; ; tests += 1) {
      const part = yield* testedPart(search, place, limit - found.length, { list, rows: maxTested })
      found.push(...part.found)
      if (part.last === undefined || found.length === limit) return found
      place = part.last
      if (!isSqlite && tests === maxTests) {
        const { entries } = yield* byIndex(search, place, limit - found.length, Number.MAX_SAFE_INTEGER)
        return [...found, ...entries]
      }
      yield* Effect.yieldNow
    }
  })

  /** SQLite's text index has the order of time itself: it is read as far as the page goes. */
  const newestInIndex = (search: OwnedSearch, after: RecordingPlace | null, limit: number) => {
    const isDown = search.order.startsWith("-")
    const { parameters, where } = inSqliteIndex(search)
    const behind = after === null ? "" : ` AND rowid ${isDown ? "<" : ">"} (? << 20) + (? & 1048575)`
    const rows = `SELECT rowid AS place FROM recording_search WHERE ${where}${behind}
      ORDER BY rowid ${isDown ? "DESC" : "ASC"} LIMIT ?`
    return views.entries(
      `SELECT r.id, r.revision FROM (${rows}) AS s CROSS JOIN recordings r ON r.place = s.place`,
      ...parameters,
      ...(after === null ? [] : [clamped(after.key as number), after.id]),
      limit
    )
  }

  /** The first users, in the order of their words, who have a word that begins so: a range of their index. */
  const ownersOf = (accountId: AccountId, start: string) =>
    Effect.map(
      query<readonly [number]>(
        "SELECT user_id FROM user_words WHERE account_id = ? AND word >= ? AND word < ? ORDER BY word, user_id LIMIT ?",
        ...[accountId, start, `${start}${lastCharacter}`, maxTermOwners]
      ),
      (rows) => [...new Set(rows.map(([id]) => id))]
    )

  const owned = Effect.fnUntraced(function* ({ terms = [], ...search }: RecordingSearch) {
    const resolved = yield* Effect.forEach(terms, ({ exact, owner, words }) =>
      Effect.map(
        owner === null ? Effect.succeed([]) : ownersOf(search.accountId, owner),
        (owners): OwnedTerm => ({ words, exact, owners })
      )
    )
    const found: OwnedSearch = { ...search, terms: resolved }
    return found
  })

  const byUuid = Effect.fnUntraced(function* (search: OwnedSearch, uuid: string, after: RecordingPlace | null) {
    const one = all({ where: "uuid = ?", parameters: [uuid] }, inText(search), ...period(search))
    const count = yield* counted(`SELECT 1 FROM recordings WHERE ${one.where}`, one.parameters)
    return { count, entries: yield* byOrder(search, after, 1, one) }
  })

  const entriesOf = Effect.fnUntraced(function* (
    asked: RecordingSearch,
    after: RecordingPlace | null,
    limit: number
  ): Effect.fn.Return<{ readonly count: number; readonly entries: ReadonlyArray<Entry> }, SqlError> {
    if (asked.terms?.length === 0) return { count: 0, entries: [] }
    const search = yield* owned(asked)
    if (asked.uuid !== undefined) return yield* byUuid(search, asked.uuid, after)
    const isList = [asked.terms, search.type, search.platform].every((one) => one === undefined)
    const isByTime = search.order.endsWith("created_at")
    if (isList && isByTime) {
      return {
        count: yield* listCount(search),
        entries: yield* byOrder(search, after, limit, listFor(search))
      }
    }
    // A full disk is ignored: recordings that were indexed before are still found.
    if (isSqlite) yield* Effect.ignoreCause(updateSearchIndex(database))
    const { accountId, folderId, ownerId } = search
    // The order by time has an index for each list; titles and durations are in the order of the account's.
    const list = listFor(
      isByTime ? { accountId, ...(folderId && { folderId }), ...(ownerId && { ownerId }) } : { accountId }
    )
    if (isSqlite && isByTime) {
      return { count: yield* sqliteCount(search), entries: yield* newestInIndex(search, after, limit) }
    }
    const known = isList ? ofCount(yield* listCount(search)) : isSqlite ? null : yield* pg.knownCount(search)
    const page = known?.isLong ? null : yield* byIndex(search, after, limit)
    if (page !== null && page.count <= maxCounted) return { ...page, count: known?.count ?? page.count }
    return { count: known?.count ?? maxCounted + 1, entries: yield* byTests(search, after, limit, list) }
  })

  /** Returns the entries whose transcript has a word of the search. */
  const spokenIn = Effect.fnUntraced(function* (
    entries: ReadonlyArray<Entry>,
    { terms = [] }: RecordingSearch
  ): Effect.fn.Return<ReadonlySet<RecordingId>, SqlError> {
    const patterns = terms.flatMap(({ exact, words }) => [
      ...words.map((word) => `% ${word}%`),
      ...exact.map((word) => `% ${word} %`)
    ])
    if (entries.length === 0 || patterns.length === 0) return new Set()
    const { marks, values } = inList(entries.map(({ id }) => id))
    const isLike = patterns.map(() => "spoken || ' ' LIKE ?").join(" OR ")
    const rows = yield* query<[RecordingId]>(
      `SELECT id FROM recordings WHERE id IN ${marks} AND (${isLike})`,
      ...values,
      ...patterns
    )
    return new Set(rows.map(([id]) => id))
  })

  return Effect.fnUntraced(function* (search: RecordingSearch, after: RecordingPlace | null, limit: number) {
    const { count, entries } = yield* entriesOf(search, after, limit)
    const spoken = yield* spokenIn(entries, search)
    return { entries, spoken, count: Math.min(count, maxCounted), isExact: count <= maxCounted }
  })
}
