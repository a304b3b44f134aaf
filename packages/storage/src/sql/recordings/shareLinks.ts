import type { ShareLinkRepository } from "@tapedeck/core"
import { ShareLink } from "@tapedeck/domain"
import { Effect } from "effect"
import type { Database } from "../database/Database.ts"
import { type Columns, columnsIn } from "../database/documents.ts"

type Row = Columns<ShareLink>
const readLink = columnsIn("share_links", ShareLink, "id")

export const makeShareLinks = ({ read, sql, write }: Database): ShareLinkRepository => {
  const columns = sql.literal(
    `id, account_id AS "accountId", recording_uuid AS "recordingUuid", created_by AS "createdBy", hash, sealed,
      created_at AS "createdAt", expires_at AS "expiresAt"`
  )
  return {
    byHash: (hash) =>
      read(
        Effect.map(
          sql<Row>`SELECT ${columns} FROM share_links WHERE hash = ${hash}`,
          ([row]) => row && readLink({ ...row })
        )
      ),
    ofRecording: (uuid) =>
      read(
        Effect.map(
          sql<Row>`SELECT ${columns} FROM share_links WHERE recording_uuid = ${uuid} ORDER BY created_at, id`,
          (rows) => rows.map((row) => readLink({ ...row }))
        )
      ),
    add: (link) =>
      write(sql`
        INSERT INTO share_links (id, account_id, recording_uuid, created_by, hash, sealed, created_at, expires_at)
        VALUES (${link.id}, ${link.accountId}, ${link.recordingUuid}, ${link.createdBy}, ${link.hash}, ${link.sealed},
          ${link.createdAt}, ${link.expiresAt})`).pipe(Effect.asVoid),
    remove: (id) => write(sql`DELETE FROM share_links WHERE id = ${id}`).pipe(Effect.asVoid)
  }
}
