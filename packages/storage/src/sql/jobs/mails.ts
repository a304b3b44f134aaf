import type { MailClaim, MailRepository } from "@tapedeck/core"
import { QueuedMail } from "@tapedeck/domain/internal/people"
import { Effect } from "effect"
import type { Database } from "../database/Database.ts"
import { attemptRead, type DocumentRow, documentsIn } from "../database/documents.ts"
import { RowUnreadable } from "../database/errors.ts"
import type { MediaJobParts } from "./mediaJobs.ts"

const readMail = documentsIn("mails", QueuedMail)

export const makeMails = (
  { dialect, now: storeNow, read, readCommitted, sql, write }: Database,
  { agendaChanged, counters }: MediaJobParts
): MailRepository => {
  /** Returns a fence that is never repeated, even for a mail that is added again. */
  const newFence = counters.next("mail_fence")
  const isHeld = ({ fence, mail }: MailClaim) => sql`id = ${mail.id} AND fence = ${fence}`
  const skippingLocked = sql.literal(dialect.skippingLocked)
  const isAny = (changed: ReadonlyArray<unknown>) => changed.length > 0

  const take = Effect.fnUntraced(function* (now: number, limit: number, leaseMs: number) {
    const rows = yield* sql<DocumentRow>`
      SELECT id, document FROM mails WHERE available_at <= ${now}
      ORDER BY available_at, fence LIMIT ${limit}${skippingLocked}`
    const claims: Array<MailClaim> = []
    for (const { document, id } of rows) {
      const fence = yield* newFence
      yield* sql`UPDATE mails SET fence = ${fence}, available_at = ${now + leaseMs} WHERE id = ${id}`
      const mail = attemptRead(() => readMail(id, document))
      // It is left to its lease's end: the others are sent.
      if (mail instanceof RowUnreadable) yield* Effect.logError("A mail could not be claimed", mail)
      else claims.push({ mail, fence })
    }
    return claims
  })

  return {
    add: (mail) =>
      write(
        Effect.flatMap(
          Effect.andThen(agendaChanged, newFence),
          (fence) => sql`
            INSERT INTO mails (id, available_at, fence, document)
            VALUES (${mail.id}, ${mail.dueAt}, ${fence}, ${JSON.stringify(mail)}) ON CONFLICT (id) DO NOTHING`
        )
      ).pipe(Effect.asVoid),
    claim: ({ leaseMs, limit }) =>
      Effect.gen(function* () {
        const now = yield* storeNow
        // Mostly nothing is due: then no transaction begins.
        const due = yield* read(sql`SELECT 1 FROM mails WHERE available_at <= ${now} LIMIT 1`)
        return isAny(due) ? yield* readCommitted(take(now, limit, leaseMs)) : []
      }),
    finish: (claim) => write(Effect.map(sql`DELETE FROM mails WHERE ${isHeld(claim)} RETURNING id`, isAny)),
    postpone: (claim, mail) =>
      write(
        Effect.gen(function* () {
          const postponed = yield* sql`
            UPDATE mails SET available_at = ${mail.dueAt}, fence = ${yield* newFence}, document = ${JSON.stringify(mail)}
            WHERE ${isHeld(claim)} RETURNING id`
          if (isAny(postponed)) yield* agendaChanged
          return isAny(postponed)
        })
      )
  }
}
