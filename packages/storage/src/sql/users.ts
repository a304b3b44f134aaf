import type { UserRepository } from "@tapedeck/core"
import type { User } from "@tapedeck/domain"
import { Effect } from "effect"
import type { Counters } from "./counters.ts"
import type { Database } from "./Database.ts"
import { allOf, countOf, type DocumentRow, firstOf, partFrom } from "./documents.ts"
import { keptByText } from "./Kept.ts"

/** E-mail addresses match without regard to case (R16). */
const emailKey = (email: string) => email.toLowerCase()

/** In characters of JSON: some 25,000 users. */
const keptUsers = 8 * 1024 * 1024

/** A user by id and JSON: the same object for as long as nothing of it changes. */
export const decodedUsers = () => keptByText<number, User>(keptUsers)
export type DecodedUsers = ReturnType<typeof decodedUsers>

export const makeUsers = (
  { query, read, sql, write }: Database,
  counters: Counters,
  decoded: DecodedUsers
): UserRepository => ({
  // A list asks for the owner of each recording.
  byId: (id) =>
    read(
      Effect.map(query<readonly [string]>("SELECT document FROM users WHERE id = ?", id), ([row]) =>
        row === undefined ? undefined : decoded(id, row[0])
      )
    ),
  byEmail: (email) =>
    read(firstOf<User>(sql<DocumentRow>`SELECT document FROM users WHERE email_key = ${emailKey(email)}`)),
  page: ({ accountId, activeOnly = false }, { limit, offset }) => {
    const only = sql.literal(activeOnly ? "AND active = 1" : "")
    return read(
      partFrom(
        countOf(sql`SELECT count(*) AS count FROM users WHERE account_id = ${accountId} ${only}`),
        allOf<User>(sql<DocumentRow>`
          SELECT document FROM users WHERE account_id = ${accountId} ${only}
          ORDER BY created_at, id LIMIT ${limit} OFFSET ${offset}`)
      )
    )
  },
  countActiveAdmins: (accountId) =>
    read(countOf(sql`SELECT count(*) AS count FROM users WHERE account_id = ${accountId} AND active_admin = 1`)),
  save: (user) =>
    write(
      Effect.andThen(
        sql`
          INSERT INTO users (id, account_id, email_key, active_admin, active, created_at, document)
          VALUES (${user.id}, ${user.accountId}, ${emailKey(user.email)},
            ${user.active && user.role === "admin" ? 1 : 0}, ${user.active ? 1 : 0}, ${user.createdAt}, ${JSON.stringify(user)})
          ON CONFLICT (id) DO UPDATE SET account_id = excluded.account_id, email_key = excluded.email_key,
            active_admin = excluded.active_admin, active = excluded.active, created_at = excluded.created_at, document = excluded.document`,
        counters.from("user", user.id)
      )
    ).pipe(Effect.asVoid)
})
