import type { UploadRepository } from "@tapedeck/core"
import type { Instant } from "@tapedeck/domain"
import { ResumableUpload, UploadPiece } from "@tapedeck/domain/internal/files"
import { Effect } from "effect"
import type { Database } from "../database/Database.ts"
import { allOf, columnsIn, countOf, type DocumentRow, documentsIn, firstOf } from "../database/documents.ts"

const readUpload = documentsIn("uploads", ResumableUpload)
const readPiece = columnsIn("upload_pieces", UploadPiece, "fileId")

type PieceRow = readonly [start: number, fileId: string, sizeBytes: number]

/** Resumable uploads. `in_progress_of` is the user of an upload that is not complete. */
export const makeUploads = ({ now: storeNow, query, read, sql, write }: Database): UploadRepository => ({
  byId: (id) => read(firstOf(readUpload, sql<DocumentRow>`SELECT id, document FROM uploads WHERE id = ${id}`)),
  inProgress: (userId, now) =>
    read(countOf(sql`SELECT count(*) AS count FROM uploads WHERE in_progress_of = ${userId} AND expires_at > ${now}`)),
  expired: (limit) =>
    Effect.flatMap(storeNow, (now) =>
      read(
        allOf(
          readUpload,
          sql<DocumentRow>`
          SELECT id, document FROM uploads WHERE expires_at <= ${now} ORDER BY expires_at LIMIT ${limit}`
        )
      )
    ),
  nextExpiry: Effect.map(
    read(query<readonly [Instant]>("SELECT expires_at FROM uploads ORDER BY expires_at LIMIT 1")),
    ([row]) => row?.[0]
  ),
  save: (upload) =>
    write(sql`
      INSERT INTO uploads (id, in_progress_of, expires_at, document)
      VALUES (${upload.id}, ${upload.isComplete ? null : upload.userId}, ${upload.expiresAt}, ${JSON.stringify(upload)})
      ON CONFLICT (id) DO UPDATE SET in_progress_of = excluded.in_progress_of, expires_at = excluded.expires_at,
        document = excluded.document`).pipe(Effect.asVoid),
  remove: (id) =>
    write(
      Effect.all([sql`DELETE FROM upload_pieces WHERE upload_id = ${id}`, sql`DELETE FROM uploads WHERE id = ${id}`], {
        discard: true
      })
    ),
  pieces: (id, limit = Number.MAX_SAFE_INTEGER) =>
    read(
      Effect.map(
        query<PieceRow>(
          "SELECT start, file_id, size_bytes FROM upload_pieces WHERE upload_id = ? ORDER BY start LIMIT ?",
          id,
          limit
        ),
        (rows) => rows.map(([start, fileId, sizeBytes]) => readPiece({ start, fileId, sizeBytes }))
      )
    ),
  addPiece: (id, { fileId, sizeBytes, start }) =>
    write(sql`
      INSERT INTO upload_pieces (upload_id, start, file_id, size_bytes)
      VALUES (${id}, ${start}, ${fileId}, ${sizeBytes})`).pipe(Effect.asVoid),
  removePieces: (id, start) =>
    Effect.asVoid(write(sql`DELETE FROM upload_pieces WHERE upload_id = ${id} AND start <= ${start}`))
})
