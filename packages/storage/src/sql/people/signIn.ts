import { type Store, windowSkewMs } from "@tapedeck/core"
import type { Instant } from "@tapedeck/domain"
import { Password, Session, SignInLink, TryWindow } from "@tapedeck/domain/internal/people"
import { Effect } from "effect"
import type { Database } from "../database/Database.ts"
import { allOf, type Columns, columnsIn, type DocumentRow, documentsIn } from "../database/documents.ts"
import { pruneRows } from "../database/statements.ts"
import { readAccount, type UserCache } from "./users.ts"

type Repositories = Pick<Store, "sessions" | "passwords" | "signInLinks" | "tryWindows">

const readSession = documentsIn("sessions", Session)
const readPassword = columnsIn("passwords", Password, "userId")
const readLink = columnsIn("sign_in_links", SignInLink, "hash")
const readWindow = columnsIn("try_windows", TryWindow, "key")

type HolderRow = readonly [
  sessionId: string,
  session: string,
  userId: number,
  user: string,
  accountId: number,
  account: string
]

const holderOfHash = `SELECT s.id, s.document, s.user_id, u.document, a.id, a.document
  FROM sessions s JOIN users u ON u.id = s.user_id JOIN accounts a ON a.id = u.account_id WHERE s.hash = ?`

type WindowRow = readonly [tries: number, endsAt: Instant]

const isOpen = `try_windows.ends_at > ? AND try_windows.ends_at <= excluded.ends_at + ?`
const countTries = `INSERT INTO try_windows ("key", tries, ends_at) VALUES (?, ?, ?)
  ON CONFLICT ("key") DO UPDATE SET
    tries = excluded.tries + CASE WHEN ${isOpen} THEN try_windows.tries ELSE 0 END,
    ends_at = CASE WHEN ${isOpen} THEN try_windows.ends_at ELSE excluded.ends_at END
  RETURNING tries, ends_at`

// The statement selects by key: many windows may end at the same time, so `ends_at + 0` keeps the index of ends out.
const extendWindow = `UPDATE try_windows SET ends_at = ?, tries = tries - ? WHERE "key" = ? AND ends_at + 0 = ? RETURNING 1`

/** Sessions, passwords, one-time links, and the number of tries in a time window. */
export const makeSignIn = ({ autocommit, query, read, sql, write }: Database, users: UserCache): Repositories => ({
  sessions: {
    holder: (hash) =>
      read(
        Effect.map(query<HolderRow>(holderOfHash, hash), ([row]) => {
          if (row === undefined) return undefined
          const [sessionId, session, userId, user, accountId, account] = row
          return {
            session: readSession(sessionId, session),
            user: users(userId, user),
            account: readAccount(accountId, account)
          }
        })
      ),
    ofUser: (userId) =>
      read(
        allOf(
          readSession,
          sql<DocumentRow>`
          SELECT id, document FROM sessions WHERE user_id = ${userId} ORDER BY created_at DESC, id DESC`
        )
      ),
    save: (session) =>
      write(sql`
        INSERT INTO sessions (id, user_id, hash, created_at, expires_at, document)
        VALUES (${session.id}, ${session.userId}, ${session.hash}, ${session.createdAt}, ${session.expiresAt},
          ${JSON.stringify(session)})
        ON CONFLICT (id) DO UPDATE SET user_id = excluded.user_id, hash = excluded.hash,
          created_at = excluded.created_at, expires_at = excluded.expires_at, document = excluded.document`).pipe(
        Effect.asVoid
      ),
    remove: (id) => write(sql`DELETE FROM sessions WHERE id = ${id}`).pipe(Effect.asVoid),
    prune: (now) => write(pruneRows(query, { table: "sessions", key: "id", endsAt: "expires_at" }, now))
  },
  passwords: {
    ofUser: (userId) =>
      read(
        Effect.map(
          sql<Columns<Password>>`
            SELECT user_id AS "userId", sealed, changed_at AS "changedAt" FROM passwords WHERE user_id = ${userId}`,
          ([row]) => row && readPassword({ ...row })
        )
      ),
    save: ({ changedAt, sealed, userId }) =>
      write(sql`
        INSERT INTO passwords (user_id, sealed, changed_at) VALUES (${userId}, ${sealed}, ${changedAt})
        ON CONFLICT (user_id) DO UPDATE SET sealed = excluded.sealed, changed_at = excluded.changed_at`).pipe(
        Effect.asVoid
      )
  },
  signInLinks: {
    byHash: (hash) =>
      read(
        Effect.map(
          sql<Columns<SignInLink>>`
            SELECT hash, user_id AS "userId", purpose, created_at AS "createdAt", expires_at AS "expiresAt"
            FROM sign_in_links WHERE hash = ${hash}`,
          ([row]) => row && readLink({ ...row, userId: row.userId || null })
        )
      ),
    replace: ({ createdAt, expiresAt, hash, purpose, userId }) =>
      write(
        Effect.andThen(
          userId === null ? Effect.void : Effect.asVoid(sql`DELETE FROM sign_in_links WHERE user_id = ${userId}`),
          sql`INSERT INTO sign_in_links (hash, user_id, purpose, created_at, expires_at)
            VALUES (${hash}, ${userId ?? 0}, ${purpose}, ${createdAt}, ${expiresAt})`
        )
      ).pipe(Effect.asVoid),
    removeOf: (userId) => write(sql`DELETE FROM sign_in_links WHERE user_id = ${userId ?? 0}`).pipe(Effect.asVoid),
    prune: (now) => write(pruneRows(query, { table: "sign_in_links", key: "hash", endsAt: "expires_at" }, now))
  },
  tryWindows: {
    byKey: (key) =>
      read(
        Effect.map(
          sql<Columns<TryWindow>>`SELECT "key", tries, ends_at AS "endsAt" FROM try_windows WHERE "key" = ${key}`,
          ([row]) => row && readWindow({ ...row })
        )
      ),
    count: ({ endsAt, key, tries }, at) => {
      const isOpenWith = [at, windowSkewMs(endsAt - at)]
      return autocommit(
        Effect.map(query<WindowRow>(countTries, key, tries, endsAt, ...isOpenWith, ...isOpenWith), ([row]) => ({
          key,
          tries: row![0],
          endsAt: row![1]
        }))
      )
    },
    uncount: (key, tries) =>
      autocommit(
        query(
          'UPDATE try_windows SET tries = CASE WHEN tries > ? THEN tries - ? ELSE 0 END WHERE "key" = ?',
          tries,
          tries,
          key
        )
      ).pipe(Effect.asVoid),
    extend: ({ endsAt: before, key }, endsAt, tries) =>
      autocommit(query(extendWindow, endsAt, tries, key, before)).pipe(Effect.map((rows) => rows.length === 1)),
    remove: (key) => autocommit(sql`DELETE FROM try_windows WHERE "key" = ${key}`).pipe(Effect.asVoid),
    prune: (now) => autocommit(pruneRows(query, { table: "try_windows", key: '"key"', endsAt: "ends_at" }, now))
  }
})
