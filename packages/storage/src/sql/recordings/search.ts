import { createHash } from "node:crypto"
import { maxCounted, maxTermOwners, type RecordingPlace, type RecordingSearch } from "@tapedeck/core"
import type { AccountId, Recording, RecordingId } from "@tapedeck/domain"
import { foundTokens, type SearchTerm } from "@tapedeck/domain/internal/recordings"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { updateSearchIndex } from "../../sqlite/searchIndex.ts"
import type { Database } from "../database/Database.ts"
import { inList, type Parameter } from "../database/statements.ts"
import { listFor } from "./lists.ts"
import type { Entry, Views } from "./Views.ts"

/**
 * Tokens of a recording in the text index, in addition to its words: account, owner, type, platform and folder. No word starts with a colon, and none
 * of these tokens is the start of another.
 */
const tokens = {
  account: (id: number) => `:a${id};`,
  owner: (id: number) => `:o${id};`,
  type: (type: string) => `:t${type.toLowerCase()};`,
  platform: (platform: string) => `:p${platform.replaceAll("_", "")};`,
  folder: (id: string) => `:f${createHash("sha256").update(id).digest("hex").slice(0, 32)};`
}

/** A folder's token, as it stands in the texts of the recordings in it. */
export const folderToken = (id: string): string => ` ${tokens.folder(id)}`

/** Returns the text by which a search finds a recording, between spaces. */
export const searchText = (recording: Recording): string => {
  const { accountId, folderId, helpdesk, ownerId, type } = recording
  return [
    tokens.account(accountId),
    tokens.type(type),
    tokens.platform(helpdesk.platform),
    ...(ownerId === null ? [] : [tokens.owner(ownerId)]),
    ...(folderId === null ? [] : [tokens.folder(folderId)]),
    ...foundTokens(recording)
  ].join(" ")
}

/** A term with the ids of the owners who have its word. */
interface OwnedTerm extends Pick<SearchTerm, "exact" | "words"> {
  readonly owners: ReadonlyArray<number>
}

type OwnedSearch = Omit<RecordingSearch, "terms"> & { readonly terms: ReadonlyArray<OwnedTerm> }

/** Numbers of owners in one condition: each number is a statement that a database prepares. */
const ownerNumbers = [0, 1, 10, maxTermOwners]

const padded = (owners: ReadonlyArray<number>): ReadonlyArray<number> => {
  const size = ownerNumbers.find((number) => number >= owners.length) ?? owners.length
  return [...owners, ...Array<number>(size - owners.length).fill(owners.at(-1) ?? 0)]
}

/** The maximum distance from 1970, in milliseconds: places beyond it would not fit in 64 bits. */
const maxAt = 2 ** 43 - 1
const clamped = (at: number) => Math.min(Math.max(at, -maxAt), maxAt)

/** The number of records of a period that are scanned to count a frequent word. */
const maxScanned = 20_000

/**
 * Number of rows whose texts are tested by one statement, and number of such statements after which PostgreSQL orders all that its text index
 * finds instead. SQLite's statements keep all requests waiting, so it goes on.
 */
const maxTested = 2_000
const maxTests = 10

/** Sorts after every other character: a prefix and this character end the range of the words that begin with the prefix. */
const lastCharacter = "\u{10ffff}"

const columns = { created_at: "created_at", title: "title_order", duration: "duration" } as const

interface Conditions {
  readonly where: string
  readonly parameters: ReadonlyArray<Parameter>
}

const all = (...conditions: ReadonlyArray<Conditions>): Conditions => ({
  where: conditions.map(({ where }) => where).join(" AND "),
  parameters: conditions.flatMap(({ parameters }) => parameters)
})

const period = ({ since, until }: OwnedSearch): ReadonlyArray<Conditions> => [
  ...(since === undefined ? [] : [{ where: "created_at >= ?", parameters: [since] }]),
  ...(until === undefined ? [] : [{ where: "created_at < ?", parameters: [until] }])
]

const orderOf = ({ order }: OwnedSearch) => {
  const isDown = order.startsWith("-")
  const column = columns[order.slice(isDown ? 1 : 0) as keyof typeof columns]
  const direction = isDown ? "DESC" : "ASC"
  return {
    column,
    by: `ORDER BY ${column} ${direction}, id ${direction}`,
    upTo: (place: RecordingPlace): Conditions => ({
      where: `(${column}, id) ${isDown ? ">=" : "<="} (?, ?)`,
      parameters: [place.key, place.id]
    }),
    behind: (after: RecordingPlace | null): ReadonlyArray<Conditions> =>
      after === null
        ? []
        : [{ where: `(${column}, id) ${isDown ? "<" : ">"} (?, ?)`, parameters: [after.key, after.id] }]
  }
}

/** The tokens that a recording must have. */
const exactTokens = ({ accountId, folderId, ownerId, platform, type }: OwnedSearch): ReadonlyArray<string> => [
  tokens.account(accountId),
  ...(type === undefined ? [] : [tokens.type(type)]),
  ...(platform === undefined ? [] : [tokens.platform(platform)]),
  ...(ownerId === undefined ? [] : [tokens.owner(ownerId)]),
  ...(folderId === undefined ? [] : [tokens.folder(folderId)])
]

const hasStart = (start: string): Conditions => ({
  where: "' ' || search || spoken LIKE ?",
  parameters: [`% ${start}%`]
})
const hasToken = (token: string): Conditions => ({
  where: "' ' || search || spoken || ' ' LIKE ?",
  parameters: [`% ${token} %`]
})

const hasTerm = ({ exact, owners, words }: OwnedTerm): Conditions => {
  const inWords = all(...words.map(hasStart), ...exact.map(hasToken))
  if (owners.length === 0) return inWords
  const ids = padded(owners)
  return {
    where: `((${inWords.where}) OR owner_id IN (${ids.map(() => "?").join(", ")}))`,
    parameters: [...inWords.parameters, ...ids]
  }
}

/** Tests the fields alone: no transcript has one of the fixed tokens, and it can have 96 Ki characters. */
const isMarked = (token: string): Conditions => ({ where: "' ' || search LIKE ?", parameters: [`% ${token}%`] })

/** The same conditions on a recording's text. */
const inText = (search: OwnedSearch): Conditions =>
  all(...exactTokens(search).map(isMarked), ...search.terms.map(hasTerm))

/** A query of a text index, of its operators and its forms of tokens and of beginnings. */
const indexQuery = (
  search: OwnedSearch,
  syntax: { readonly [Name in "and" | "or"]: string } & {
    readonly [Name in "exact" | "beginning"]: (text: string) => string
  }
): string => {
  const { and, beginning, exact, or } = syntax
  const termOf = ({ exact: wholeTokens, owners, words }: OwnedTerm) => {
    const own = [...words.map(beginning), ...wholeTokens.map(exact)].join(and)
    return owners.length === 0 ? own : `((${own})${or}${owners.map((id) => exact(tokens.owner(id))).join(or)})`
  }
  return [...exactTokens(search).map(exact), ...search.terms.map(termOf)].join(and)
}

/** Rows of `recordings` that the text index finds. */
const inIndex = {
  sqlite: (search: OwnedSearch): Conditions => {
    const match = indexQuery(search, {
      ...{ and: " AND ", or: " OR " },
      exact: (text) => `"${text}"`,
      beginning: (text) => `"${text}" *`
    })
    const { since = -maxAt, until = maxAt } = search
    return {
      where: "recording_search MATCH ? AND recording_search.rowid >= ? << 20 AND recording_search.rowid < ? << 20",
      parameters: [match, clamped(since), clamped(until)]
    }
  },
  pg: (search: OwnedSearch, most = maxCounted + 1) => {
    const match = indexQuery(search, {
      ...{ and: " & ", or: " | " },
      exact: (text) => `'${text}'`,
      beginning: (text) => `'${text}':*`
    })
    const { since = -maxAt, until = maxAt } = search
    return { rows: "found_recordings(CAST(? AS tsquery), ?, ?, ?)", parameters: [match, since, until, most] }
  }
}

/**
 * Searches by the text index, and where that finds more than is counted, by the order's index: of so many, a page is soon found
 * there. So no search reads in the order of all recordings (docs/adr/0030-search-of-recordings.md).
 */
export const recordingSearch = (database: Database, views: Views) => {
  const { dialect, query } = database
  const isSqlite = dialect.name === "sqlite"

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
    const { parameters, where } = inIndex.sqlite(search)
    return counted(`SELECT 1 FROM recording_search WHERE ${where}`, parameters)
  }

  /** Counts the recordings of a period: among those that the index finds, or, if these are too many, among a limited number of the period. */
  const pgCount = Effect.fnUntraced(function* (search: OwnedSearch) {
    const { since, until, ...always } = search
    const isPeriod = since !== undefined || until !== undefined
    for (const one of isPeriod ? [always, search] : [search]) {
      const { parameters, rows } = inIndex.pg(one)
      const [row] = yield* query<[number]>(`SELECT count(*) FROM ${rows} AS found`, ...parameters)
      const count = Number(row![0])
      if (one === search) return count
      if (count > maxCounted) break
    }
    const list = all(listFor({ accountId: search.accountId }), ...period(search))
    const text = inText(search)
    const newest = `SELECT search, spoken, owner_id FROM recordings WHERE ${list.where} ORDER BY created_at DESC, id DESC LIMIT ${maxScanned}`
    const [row] = yield* query<[number, number]>(
      `SELECT count(*), sum(CASE WHEN ${text.where} THEN 1 ELSE 0 END) FROM (${newest}) AS scanned`,
      ...text.parameters,
      ...list.parameters
    )
    const [scanned, matching] = row!
    return Number(scanned) < maxScanned ? Number(matching ?? 0) : maxCounted + 1
  })

  const byOrder = (search: OwnedSearch, after: RecordingPlace | null, limit: number, conditions: Conditions) => {
    const { behind, by } = orderOf(search)
    const { parameters, where } = all(conditions, ...period(search), ...behind(after))
    return views.entries(`SELECT id, revision FROM recordings WHERE ${where} ${by} LIMIT ?`, ...parameters, limit)
  }

  const byIndex = (search: OwnedSearch, after: RecordingPlace | null, limit: number, most?: number) => {
    const { behind, by, column } = orderOf(search)
    const inSqlite = inIndex.sqlite(search)
    const inPg = inIndex.pg(search, most)
    const { parameters } = isSqlite ? inSqlite : inPg
    const rows = isSqlite
      ? `SELECT r.id, r.revision, r.${column} FROM recording_search CROSS JOIN recordings r ON r.place = recording_search.rowid
          WHERE ${inSqlite.where}`
      : `SELECT id, revision, ${column} ${column === "title_order" ? 'COLLATE "C" AS title_order' : ""} FROM ${inPg.rows}`
    const rest = all({ where: "1 = 1", parameters: [] }, ...behind(after))
    return views.entries(
      `WITH found AS MATERIALIZED (${rows}) SELECT id, revision FROM found WHERE ${rest.where} ${by} LIMIT ?`,
      ...parameters,
      ...rest.parameters,
      limit
    )
  }

  /** Tests the texts of rows in the order's index, some at a time. Other requests run in between. */
  const byTests = Effect.fnUntraced(function* (
    search: OwnedSearch,
    after: RecordingPlace | null,
    limit: number,
    list: Conditions
  ) {
    const { behind, by, column, upTo } = orderOf(search)
    const found: Array<Entry> = []
    let place = after
    for (let tests = 1; ; tests += 1) {
      const { parameters, where } = all(list, ...period(search), ...behind(place))
      const [end] = yield* query<[number | string, number]>(
        `SELECT ${column}, id FROM recordings WHERE ${where} ${by} LIMIT 1 OFFSET ${maxTested - 1}`,
        ...parameters
      )
      const last = end && { key: end[0], id: end[1] }
      const tested = all(list, inText(search), ...(last === undefined ? [] : [upTo(last)]))
      found.push(...(yield* byOrder(search, place, limit - found.length, tested)))
      if (last === undefined || found.length === limit) return found
      place = last
      if (!isSqlite && tests === maxTests) {
        return [...found, ...(yield* byIndex(search, place, limit - found.length, Number.MAX_SAFE_INTEGER))]
      }
      yield* Effect.yieldNow
    }
  })

  /** SQLite's text index has the order of time itself: it is read as far as the page goes. */
  const newestInIndex = (search: OwnedSearch, after: RecordingPlace | null, limit: number) => {
    const isDown = search.order.startsWith("-")
    const { parameters, where } = inIndex.sqlite(search)
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
    const count = yield* isList ? listCount(search) : isSqlite ? sqliteCount(search) : pgCount(search)
    if (isSqlite && isByTime) return { count, entries: yield* newestInIndex(search, after, limit) }
    if (count <= maxCounted) return { count, entries: yield* byIndex(search, after, limit) }
    const { accountId, folderId, ownerId } = search
    // The order by time has an index for each list; titles and durations are in the order of the account's.
    const list = listFor(
      isByTime ? { accountId, ...(folderId && { folderId }), ...(ownerId && { ownerId }) } : { accountId }
    )
    return { count, entries: yield* byTests(search, after, limit, list) }
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
