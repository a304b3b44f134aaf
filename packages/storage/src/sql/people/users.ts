import type { AccountRepository, UserRepository } from "@tapedeck/core"
import { Account, User } from "@tapedeck/domain"
import { emailKey } from "@tapedeck/domain/internal/people"
import { ownerWords } from "@tapedeck/domain/internal/recordings"
import { Effect } from "effect"
import { cachedByText } from "../database/Cache.ts"
import type { Counters, Database } from "../database/Database.ts"
import { allOf, countOf, type DocumentRow, documentsIn, firstOf, partFrom } from "../database/documents.ts"
import type { Query } from "../database/statements.ts"

const readUser = documentsIn("users", User)
export const readAccount = documentsIn("accounts", Account)

/** Maximum size of the cache in characters of JSON: some 25,000 users. */
const cachedCharacters = 8 * 1024 * 1024

/** Numbers of users that one statement reads: each number is a prepared statement. */
const batchSizes = [1, 5, 25, 100, 1_000] as const
const maxBatch = 1_000

const selectMany = new Map<number, string>(
  batchSizes.map((count) => [
    count,
    `SELECT id, document FROM users WHERE id IN (${Array(count).fill("?").join(", ")})`
  ])
)

/** The ids in parts of these numbers, the last of which repeats its last id. */
const chunksOf = (ids: ReadonlyArray<number>): ReadonlyArray<ReadonlyArray<number>> => {
  const chunks: Array<ReadonlyArray<number>> = []
  for (let start = 0; start < ids.length; start += maxBatch) {
    const part = ids.slice(start, start + maxBatch)
    const size = batchSizes.find((one) => one >= part.length) ?? maxBatch
    chunks.push([...part, ...Array<number>(size - part.length).fill(part.at(-1)!)])
  }
  return chunks
}

/** Decodes a user's JSON: the same object by id as long as the JSON does not change. */
export const makeUserCache = () => cachedByText(cachedCharacters, readUser)
export type UserCache = ReturnType<typeof makeUserCache>

/** Updates the search words of a user. Belongs inside the transaction that saves the user. */
const saveWords = (query: Query, { accountId, email, id, name }: User) =>
  Effect.gen(function* () {
    const after = ownerWords({ email, name })
    const rows = yield* query<readonly [string, number]>(
      "SELECT word, account_id FROM user_words WHERE user_id = ?",
      id
    )
    const before = new Set(rows.map(([word]) => word))
    const isSame = rows.every(([, account]) => account === accountId)
    if (isSame && before.size === after.length && after.every((word) => before.has(word))) return
    yield* query("DELETE FROM user_words WHERE user_id = ?", id)
    for (const word of after) {
      yield* query("INSERT INTO user_words (account_id, word, user_id) VALUES (?, ?, ?)", accountId, word, id)
    }
  })

export const makeUsers = (
  { query, read, sql, write }: Database,
  counters: Counters,
  cache: UserCache
): UserRepository => ({
  byId: (id) =>
    read(
      Effect.map(query<readonly [string]>("SELECT document FROM users WHERE id = ?", id), ([row]) =>
        row === undefined ? undefined : cache(id, row[0])
      )
    ),
  byIds: (ids) =>
    read(
      Effect.map(
        Effect.forEach(chunksOf(ids), (chunk) =>
          query<readonly [number, string]>(selectMany.get(chunk.length)!, ...chunk)
        ),
        (chunks) => chunks.flatMap((rows) => rows.map(([id, document]) => cache(id, document)))
      )
    ),
  byEmail: (email) =>
    read(firstOf(readUser, sql<DocumentRow>`SELECT id, document FROM users WHERE email_key = ${emailKey(email)}`)),
  page: ({ accountId, activeOnly = false }, { limit, offset }) => {
    const only = sql.literal(activeOnly ? "AND active = 1" : "")
    return read(
      partFrom(
        countOf(sql`SELECT count(*) AS count FROM users WHERE account_id = ${accountId} ${only}`),
        allOf(
          readUser,
          sql<DocumentRow>`
          SELECT id, document FROM users WHERE account_id = ${accountId} ${only}
          ORDER BY created_at, id LIMIT ${limit} OFFSET ${offset}`
        )
      )
    )
  },
  countActiveAdmins: (accountId) =>
    read(countOf(sql`SELECT count(*) AS count FROM users WHERE account_id = ${accountId} AND active_admin = 1`)),
  activeAdmins: (accountId, limit) =>
    read(
      allOf(
        readUser,
        sql<DocumentRow>`
        SELECT id, document FROM users WHERE account_id = ${accountId} AND active_admin = 1 ORDER BY id LIMIT ${limit}`
      )
    ),
  save: (user) =>
    write(
      Effect.andThen(
        sql`
          INSERT INTO users (id, account_id, email_key, active_admin, active, created_at, document)
          VALUES (${user.id}, ${user.accountId}, ${emailKey(user.email)},
            ${user.active && user.role === "admin" ? 1 : 0}, ${user.active ? 1 : 0}, ${user.createdAt}, ${JSON.stringify(user)})
          ON CONFLICT (id) DO UPDATE SET account_id = excluded.account_id, email_key = excluded.email_key,
            active_admin = excluded.active_admin, active = excluded.active, created_at = excluded.created_at, document = excluded.document`,
        Effect.andThen(saveWords(query, user), counters.from("user", user.id))
      )
    ).pipe(Effect.asVoid)
})

export const makeAccounts = ({ read, sql, write }: Database, counters: Counters): AccountRepository => ({
  byId: (id) => read(firstOf(readAccount, sql<DocumentRow>`SELECT id, document FROM accounts WHERE id = ${id}`)),
  list: read(allOf(readAccount, sql<DocumentRow>`SELECT id, document FROM accounts ORDER BY id`)),
  save: (account) =>
    write(
      Effect.andThen(
        sql`INSERT INTO accounts (id, document) VALUES (${account.id}, ${JSON.stringify(account)})
          ON CONFLICT (id) DO UPDATE SET document = excluded.document`,
        counters.from("account", account.id)
      )
    ).pipe(Effect.asVoid)
})
