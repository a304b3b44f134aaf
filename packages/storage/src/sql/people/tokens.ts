import { type RateWindowRepository, type TokenRepository, windowSkewMs } from "@tapedeck/core"
import { AccessToken, type Instant } from "@tapedeck/domain"
import { Effect } from "effect"
import { cachedByText } from "../database/Cache.ts"
import type { Database } from "../database/Database.ts"
import { columnsIn, countOf, documentsIn, partFrom } from "../database/documents.ts"
import { readAccount, type UserCache } from "./users.ts"

interface TokenRow {
  readonly id: string
  readonly user_id: number
  /** JSON, because the name may contain characters that a database's text cannot. */
  readonly name: string
  readonly kind: string
  readonly hash: string
  readonly sealed: string
  readonly created_at: number
  readonly revoked_at: number | null
  readonly last_used_at: number | null
}

const readName = documentsIn("tokens", AccessToken.fields.name)
const readToken = columnsIn("tokens", AccessToken, "id")

const tokenOf = (row: TokenRow): AccessToken =>
  readToken({
    id: row.id,
    userId: row.user_id,
    name: readName(row.id, row.name),
    kind: row.kind,
    hash: row.hash,
    sealed: row.sealed,
    createdAt: row.created_at,
    revokedAt: row.revoked_at,
    lastUsedAt: row.last_used_at
  })

type HolderRow = readonly [
  id: string,
  userId: number,
  name: string,
  kind: string,
  sealed: string,
  createdAt: number,
  revokedAt: number | null,
  lastUsedAt: number | null,
  user: string,
  accountId: number,
  account: string
]

const holderOfHash = `SELECT t.id, t.user_id, t.name, t.kind, t.sealed, t.created_at, t.revoked_at, t.last_used_at, u.document, a.id, a.document
  FROM tokens t JOIN users u ON u.id = t.user_id JOIN accounts a ON a.id = u.account_id WHERE t.hash = ?`

/** Maximum size of the cache in characters of JSON: some 10,000 accounts. */
const cachedCharacters = 1024 * 1024

export const makeTokens = ({ query, read, sql, write }: Database, users: UserCache): TokenRepository => {
  const accounts = cachedByText(cachedCharacters, readAccount)
  const columns = sql.literal("id, user_id, name, kind, hash, sealed, created_at, revoked_at, last_used_at")
  return {
    // Every request reads it.
    holder: (hash) =>
      read(
        Effect.map(query<HolderRow>(holderOfHash, hash), ([row]) => {
          if (row === undefined) return undefined
          const [id, user_id, name, kind, sealed, created_at, revoked_at, last_used_at, user, accountId, account] = row
          return {
            token: tokenOf({ id, user_id, name, kind, hash, sealed, created_at, revoked_at, last_used_at }),
            user: users(user_id, user),
            account: accounts(accountId, account)
          }
        })
      ),
    byId: (id) =>
      read(Effect.map(sql<TokenRow>`SELECT ${columns} FROM tokens WHERE id = ${id}`, ([row]) => row && tokenOf(row))),
    page: (userId, { limit, offset }) => {
      const isListed = sql`user_id = ${userId} AND kind = 'access' AND revoked_at IS NULL`
      return read(
        partFrom(
          countOf(sql`SELECT count(*) AS count FROM tokens WHERE ${isListed}`),
          Effect.map(
            sql<TokenRow>`SELECT ${columns} FROM tokens WHERE ${isListed}
              ORDER BY created_at DESC, id DESC LIMIT ${limit} OFFSET ${offset}`,
            (rows) => rows.map(tokenOf)
          )
        )
      )
    },
    save: (token) =>
      write(sql`
        INSERT INTO tokens (${columns}) VALUES (${token.id}, ${token.userId}, ${JSON.stringify(token.name)}, ${token.kind},
          ${token.hash}, ${token.sealed}, ${token.createdAt}, ${token.revokedAt}, ${token.lastUsedAt})
        ON CONFLICT (id) DO UPDATE SET user_id = excluded.user_id, name = excluded.name, kind = excluded.kind,
          hash = excluded.hash, sealed = excluded.sealed, created_at = excluded.created_at,
          revoked_at = excluded.revoked_at, last_used_at = excluded.last_used_at`).pipe(Effect.asVoid),
    use: (id, at) => write(sql`UPDATE tokens SET last_used_at = ${at} WHERE id = ${id}`).pipe(Effect.asVoid)
  }
}

const isOpen = `rate_windows.started_at <= excluded.started_at + ?
  AND excluded.started_at < rate_windows.started_at + ?`
const countRequest = `INSERT INTO rate_windows (token_id, started_at, requests) VALUES (?, ?, 1)
  ON CONFLICT (token_id) DO UPDATE SET
    started_at = CASE WHEN ${isOpen} THEN rate_windows.started_at ELSE excluded.started_at END,
    requests = CASE WHEN ${isOpen} THEN rate_windows.requests ELSE 0 END + 1
  RETURNING started_at, requests`

type WindowRow = readonly [startedAt: Instant, requests: number]

export const makeRateWindows = ({ autocommit, query, read }: Database): RateWindowRepository => ({
  byToken: (id) =>
    read(
      Effect.map(
        query<WindowRow>("SELECT started_at, requests FROM rate_windows WHERE token_id = ?", id),
        ([row]) => row && { startedAt: row[0], requests: row[1] }
      )
    ),
  count: (id, at, perMs) => {
    const isOpenWith = [windowSkewMs(perMs), perMs]
    return autocommit(
      Effect.map(query<WindowRow>(countRequest, id, at, ...isOpenWith, ...isOpenWith), ([row]) => ({
        startedAt: row![0],
        requests: row![1]
      }))
    )
  }
})
