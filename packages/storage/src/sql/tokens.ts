import type { TokenRepository } from "@tapedeck/core"
import type { AccessToken, Account } from "@tapedeck/domain"
import { Effect } from "effect"
import type { Database } from "./Database.ts"
import { countOf, partFrom } from "./documents.ts"
import { keptByText } from "./Kept.ts"
import type { DecodedUsers } from "./users.ts"

interface TokenRow {
  readonly id: string
  readonly user_id: number
  /** As JSON: people may write characters that a database's text does not hold. */
  readonly name: string
  readonly kind: string
  readonly hash: string
  readonly sealed: string
  readonly created_at: number
  readonly revoked_at: number | null
}

const tokenOf = (row: TokenRow): AccessToken =>
  ({
    id: row.id,
    userId: row.user_id,
    name: JSON.parse(row.name),
    kind: row.kind,
    hash: row.hash,
    sealed: row.sealed,
    createdAt: row.created_at,
    revokedAt: row.revoked_at
  }) as AccessToken

type HolderRow = readonly [
  id: string,
  userId: number,
  name: string,
  kind: string,
  sealed: string,
  createdAt: number,
  revokedAt: number | null,
  user: string,
  accountId: number,
  account: string
]

const holderOfHash = `SELECT t.id, t.user_id, t.name, t.kind, t.sealed, t.created_at, t.revoked_at, u.document, a.id, a.document
  FROM tokens t JOIN users u ON u.id = t.user_id JOIN accounts a ON a.id = u.account_id WHERE t.hash = ?`

/** In characters of JSON: some 10,000 accounts. */
const keptAccounts = 1024 * 1024

export const makeTokens = ({ query, read, sql, write }: Database, users: DecodedUsers): TokenRepository => {
  const accounts = keptByText<number, Account>(keptAccounts)
  const columns = sql.literal("id, user_id, name, kind, hash, sealed, created_at, revoked_at")
  return {
    // Every request asks for it.
    holder: (hash) =>
      read(
        Effect.map(query<HolderRow>(holderOfHash, hash), ([row]) => {
          if (row === undefined) return undefined
          const [id, user_id, name, kind, sealed, created_at, revoked_at, user, accountId, account] = row
          return {
            token: tokenOf({ id, user_id, name, kind, hash, sealed, created_at, revoked_at }),
            user: users(user_id, user),
            account: accounts(accountId, account)
          }
        })
      ),
    byId: (id) =>
      read(Effect.map(sql<TokenRow>`SELECT ${columns} FROM tokens WHERE id = ${id}`, ([row]) => row && tokenOf(row))),
    page: (userId, { limit, offset }) => {
      const listed = sql`user_id = ${userId} AND kind = 'access' AND revoked_at IS NULL`
      return read(
        partFrom(
          countOf(sql`SELECT count(*) AS count FROM tokens WHERE ${listed}`),
          Effect.map(
            sql<TokenRow>`SELECT ${columns} FROM tokens WHERE ${listed}
              ORDER BY created_at DESC, id DESC LIMIT ${limit} OFFSET ${offset}`,
            (rows) => rows.map(tokenOf)
          )
        )
      )
    },
    save: (token) =>
      write(sql`
        INSERT INTO tokens (${columns}) VALUES (${token.id}, ${token.userId}, ${JSON.stringify(token.name)}, ${token.kind},
          ${token.hash}, ${token.sealed}, ${token.createdAt}, ${token.revokedAt})
        ON CONFLICT (id) DO UPDATE SET user_id = excluded.user_id, name = excluded.name, kind = excluded.kind,
          hash = excluded.hash, sealed = excluded.sealed, created_at = excluded.created_at,
          revoked_at = excluded.revoked_at`).pipe(Effect.asVoid)
  }
}
