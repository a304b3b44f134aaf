import { Clock, Effect } from "effect"
import type { Query } from "../database/statements.ts"

/** Age after which the statistics are read again: autovacuum writes them. */
const maxAgeMs = 5 * 60_000

/** The shares of recordings that have tokens, of all accounts, as PostgreSQL's last ANALYZE found. */
export interface TokenShares {
  /** Number of recordings. */
  readonly total: number
  readonly shareOf: (token: string) => number
  /** The share that has a token which begins so. */
  readonly shareOfBeginning: (text: string) => number
}

const withoutStatistics: TokenShares = { total: 0, shareOf: () => 0, shareOfBeginning: () => 0 }

const select = `SELECT c.reltuples, array_to_json(s.most_common_elems::text::text[])::text, array_to_json(s.most_common_elem_freqs)::text
  FROM pg_class c JOIN pg_stats s ON s.tablename = 'recordings_search' AND s.schemaname = c.relnamespace::regnamespace::text
  WHERE c.oid = 'recordings'::regclass AND s.most_common_elems IS NOT NULL`

const sharesOf = (total: number, elements: ReadonlyArray<string>, frequencies: ReadonlyArray<number>): TokenShares => {
  const frequent = new Map(elements.map((element, index) => [element, frequencies[index]!]))
  // The lowest frequency follows those of the elements. A token that is no element has less; PostgreSQL takes it for so frequent, too.
  const rare = Math.min(0.005, (frequencies[elements.length] ?? 0) / 2)
  return {
    total,
    shareOf: (token) => frequent.get(token) ?? rare,
    shareOfBeginning: (text) => {
      let sum = 0
      for (const [element, frequency] of frequent) if (element.startsWith(text)) sum += frequency
      return Math.min(1, Math.max(sum, rare))
    }
  }
}

/** Returns an effect that reads the statistics, and keeps them for some minutes. */
export const makeTokenShares = (query: Query) => {
  let known: { readonly shares: TokenShares; readonly readAt: number } | undefined
  return Effect.gen(function* () {
    const at = yield* Clock.currentTimeMillis
    if (known !== undefined && Math.abs(at - known.readAt) < maxAgeMs) return known.shares
    const [row] = yield* query<[number, string, string]>(select)
    const shares =
      row === undefined ? withoutStatistics : sharesOf(Number(row[0]), JSON.parse(row[1]), JSON.parse(row[2]))
    known = { shares, readAt: at }
    return shares
  })
}
