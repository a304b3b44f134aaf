import { maxCounted } from "@tapedeck/core"
import { Effect } from "effect"
import type { Query } from "../database/statements.ts"
import { listFor } from "./lists.ts"
import {
  all,
  exactTokens,
  indexQuery,
  inText,
  maxAt,
  type OwnedSearch,
  type OwnedTerm,
  period,
  tokens
} from "./searchConditions.ts"
import { makeTokenShares, type TokenShares } from "./tokenShares.ts"

/** The number of records of a period that are scanned to count a frequent word. */
const maxScanned = 20_000

/**
 * PostgreSQL's text index lists all recordings that have a beginning of a word before it finds the first: a term is tested in the texts of
 * what the rest of the search finds, if that is so many times less.
 */
const testedBeyond = 40

/** Maximum number of recordings that the rest of the search may find for that, as the statistics say. */
const maxTestedTexts = 20_000

/** A search is for frequent words if so many times more recordings are expected than are counted. */
const frequentBeyond = 4

/** Number of places of a list, and of recordings at each, whose texts show whether words are frequent in it. */
const sampled = { places: 10, recordings: 50 }

const shareOfTerm = ({ exact, owners, words }: OwnedTerm, { shareOf, shareOfBeginning }: TokenShares): number => {
  const own = [...words.map(shareOfBeginning), ...exact.map(shareOf)]
  const ofOwners = owners.map((id) => shareOf(tokens.owner(id)))
  return Math.min(1, Math.min(1, ...own) + ofOwners.reduce((sum, share) => sum + share, 0))
}

/** A number of recordings. If the search is long, a page is read in its order, and the texts are tested. */
export const ofCount = (count: number) => ({ count, isLong: count > maxCounted })

/** Splits a search into what the text index finds and the terms that are tested in its texts. */
const planned = (search: OwnedSearch, shares: TokenShares) => {
  const terms = search.terms.map((term) => ({ term, share: shareOfTerm(term, shares) }))
  const rarest = Math.min(...exactTokens(search).map(shares.shareOf), ...terms.map(({ share }) => share))
  // An owner is a column, and a phrase of whole words is skipped through in the index.
  const isTested = ({ share, term }: (typeof terms)[number]) =>
    term.owners.length === 0 &&
    term.words.length > 0 &&
    share > testedBeyond * rarest &&
    rarest * shares.total <= maxTestedTexts
  const termsOf = (some: typeof terms) => some.map(({ term }) => term)
  const indexed = termsOf(terms.filter((one) => !isTested(one)))
  // The account is a column, too: the index leaves out an account that has most of the recordings.
  const isLarge = (token: string) => token === tokens.account(search.accountId) && shares.shareOf(token) > 0.5
  const exact = exactTokens(search)
  const narrow = exact.filter((token) => !isLarge(token))
  return {
    indexed: { exact: narrow.length + indexed.length === 0 ? exact : narrow, terms: indexed },
    tested: termsOf(terms.filter(isTested))
  }
}

/** A literal of an array of patterns; words are letters and digits. */
const patternsOf = (terms: ReadonlyArray<OwnedTerm>): string => {
  const patterns = terms.flatMap(({ exact, words }) => [
    ...words.map((word) => `"% ${word}%"`),
    ...exact.map((word) => `"% ${word} %"`)
  ])
  return `{${patterns.join(",")}}`
}

/** How many recordings have a text, at places of a list that are as far from each other as its counted blocks let them be. */
const selectSampled = (list: string, text: string) => `
  SELECT place.total, (
    SELECT count(*) FILTER (WHERE ${text}) FROM (
      SELECT search, spoken, owner_id FROM recordings WHERE ${list} AND (created_at, id) >= (place.from_at, place.from_id)
      ORDER BY created_at, id LIMIT ?) AS part)
  FROM (
    SELECT from_at, from_id, total FROM (
      SELECT b.from_at, b.from_id, l.count AS total, row_number() OVER (ORDER BY b.from_at, b.from_id) AS number, count(*) OVER () AS blocks
      FROM recording_lists l JOIN recording_blocks b ON b.list_id = l.id WHERE l.key = ?) AS numbered
    WHERE number * CAST(? AS bigint) / blocks <> (number - 1) * CAST(? AS bigint) / blocks) AS place`

/** The search of recordings in PostgreSQL's text index. */
export const pgSearch = (query: Query) => {
  const readShares = makeTokenShares(query)

  /** Rows of `recordings` that the index finds, at most so many. */
  const found = Effect.fnUntraced(function* (search: OwnedSearch, most = maxCounted + 1) {
    const { indexed, tested } = planned(search, yield* readShares)
    const match = indexQuery(indexed, {
      ...{ and: " & ", or: " | " },
      exact: (text) => `'${text}'`,
      beginning: (text) => `'${text}':*`
    })
    const { accountId, since = -maxAt, until = maxAt } = search
    return {
      from: "found_recordings(CAST(? AS tsquery), ?, CAST(? AS text[]), ?, ?, ?)",
      parameters: [match, accountId, patternsOf(tested), since, until, most]
    }
  })

  const rows = (search: OwnedSearch, column: string, most: number) =>
    Effect.map(found(search, most), ({ from, parameters }) => {
      const collated = column === "title_order" ? 'COLLATE "C" AS title_order' : ""
      return { rows: `SELECT id, revision, ${column} ${collated} FROM ${from}`, parameters }
    })

  /**
   * Returns whether a search without its period certainly finds more recordings than are counted: the statistics of all accounts say so, and so
   * do recordings at some places of the list, without the place that has most.
   */
  const isFrequent = Effect.fnUntraced(function* ({ since: _, until: _1, ...search }: OwnedSearch) {
    const shares = yield* readShares
    const parts = [...exactTokens(search).map(shares.shareOf), ...search.terms.map((term) => shareOfTerm(term, shares))]
    const enough = frequentBeyond * maxCounted
    if (shares.total * parts.reduce((product, share) => product * share, 1) < enough) return false
    const list = listFor(search)
    const text = inText(search)
    const rows = yield* query<[total: number, matching: number]>(
      selectSampled(list.where, text.where),
      ...[...text.parameters, ...list.parameters, sampled.recordings, list.key, sampled.places, sampled.places]
    )
    const matching = rows.map((row) => Number(row[1])).toSorted((a, b) => a - b)
    const others = matching.slice(0, -1).reduce((sum, one) => sum + one, 0)
    const read = sampled.recordings * (sampled.places - 1)
    return rows.length === sampled.places && (Number(rows[0]![0]) * others) / read >= enough / 2
  })

  /**
   * Returns the number of recordings if it is known without the page, else null. Those of a period are counted among what the index finds, or,
   * if that is too much, among a limited number of the period.
   */
  const knownCount = Effect.fnUntraced(function* (search: OwnedSearch) {
    const { since, until, ...always } = search
    if (since === undefined && until === undefined) {
      return (yield* isFrequent(search)) ? ofCount(maxCounted + 1) : null
    }
    const counted = Effect.fnUntraced(function* (one: OwnedSearch) {
      const { from, parameters } = yield* found(one)
      const [row] = yield* query<[number]>(`SELECT count(*) FROM ${from} AS found`, ...parameters)
      return Number(row![0])
    })
    const isLong = (yield* isFrequent(search)) || (yield* counted(always)) > maxCounted
    if (!isLong) return ofCount(yield* counted(search))
    const list = all(listFor({ accountId: search.accountId }), ...period(search))
    const text = inText(search)
    const newest = `SELECT search, spoken, owner_id FROM recordings WHERE ${list.where} ORDER BY created_at DESC, id DESC LIMIT ${maxScanned}`
    const [row] = yield* query<[number, number]>(
      `SELECT count(*), sum(CASE WHEN ${text.where} THEN 1 ELSE 0 END) FROM (${newest}) AS scanned`,
      ...text.parameters,
      ...list.parameters
    )
    const [scanned, matching] = row!
    return { count: Number(scanned) < maxScanned ? Number(matching ?? 0) : maxCounted + 1, isLong }
  })

  return { rows, knownCount }
}
