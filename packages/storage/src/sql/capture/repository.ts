import type { CaptureLinkRepository, CaptureRepository, PiecePage, SiteRepository } from "@tapedeck/core"
import {
  Capture,
  CaptureLink,
  CapturePiece,
  CaptureToken,
  heldBytes,
  originPatterns,
  Site
} from "@tapedeck/domain/capture"
import { Effect, Schema } from "effect"
import type { Database } from "../database/Database.ts"
import {
  allOf,
  columnsIn,
  countOf,
  type DocumentRow,
  documentsIn,
  firstOf,
  partFrom,
  type ReadDocument
} from "../database/documents.ts"
import { pruneRows } from "../database/statements.ts"

const readSite = documentsIn("sites", Site)
const { sealedToken: _, tokenHash: _1, ...linkFields } = CaptureLink.fields
const readLink = documentsIn("capture_links", Schema.Struct(linkFields))
const readCapture = documentsIn("captures", Capture)
const readToken = columnsIn("capture_tokens", CaptureToken, "captureId")
const [Video, Log] = CapturePiece.members
const readPiece: {
  readonly [Kind in CapturePiece["kind"]]: ReadDocument<Extract<CapturePiece, { readonly kind: Kind }>>
} = { video: documentsIn("capture_pieces", Video), log: documentsIn("capture_pieces", Log) }

export const makeSites = ({ read, sql, write }: Database): SiteRepository => ({
  byId: (id) => read(firstOf(readSite, sql<DocumentRow>`SELECT id, document FROM sites WHERE id = ${id}`)),
  byKey: (key) => read(firstOf(readSite, sql<DocumentRow>`SELECT id, document FROM sites WHERE site_key = ${key}`)),
  list: (accountId) =>
    read(
      allOf(
        readSite,
        sql<DocumentRow>`SELECT id, document FROM sites WHERE account_id = ${accountId} ORDER BY sequence`
      )
    ),
  allow: (origin) => {
    const patterns = originPatterns(origin)
    if (patterns.length === 0) return Effect.succeed(false)
    const found = sql`SELECT 1 FROM site_origins WHERE origin IN ${sql.in(patterns)} LIMIT 1`
    return read(Effect.map(found, (rows) => rows.length > 0))
  },
  save: (site) =>
    write(
      Effect.all(
        [
          sql`INSERT INTO sites (id, account_id, site_key, document)
            VALUES (${site.id}, ${site.accountId}, ${site.key}, ${JSON.stringify(site)})
            ON CONFLICT (id) DO UPDATE SET account_id = excluded.account_id, site_key = excluded.site_key,
              document = excluded.document`,
          sql`DELETE FROM site_origins WHERE site_id = ${site.id}`,
          ...(site.isEnabled ? [...new Set(site.origins)] : []).map(
            (origin) => sql`INSERT INTO site_origins (origin, site_id) VALUES (${origin}, ${site.id})`
          )
        ],
        { discard: true }
      )
    ),
  remove: (id) =>
    write(
      Effect.all([sql`DELETE FROM site_origins WHERE site_id = ${id}`, sql`DELETE FROM sites WHERE id = ${id}`], {
        discard: true
      })
    )
})

interface LinkRow extends DocumentRow {
  readonly token_hash: string
  readonly sealed: string
}

const linkOf = ({ document, id, sealed, token_hash }: LinkRow): CaptureLink => ({
  ...readLink(id, document),
  tokenHash: token_hash,
  sealedToken: sealed
})

export const makeCaptureLinks = ({ read, sql, write }: Database): CaptureLinkRepository => {
  const first = (rows: ReadonlyArray<LinkRow>) => rows[0] && linkOf(rows[0])
  return {
    byId: (id) =>
      read(
        Effect.map(sql<LinkRow>`SELECT id, document, token_hash, sealed FROM capture_links WHERE id = ${id}`, first)
      ),
    byHash: (hash) =>
      read(
        Effect.map(
          sql<LinkRow>`SELECT id, document, token_hash, sealed FROM capture_links WHERE token_hash = ${hash}`,
          first
        )
      ),
    page: ({ accountId, createdBy }, { limit, offset }) => {
      const isListed =
        createdBy === undefined
          ? sql`account_id = ${accountId}`
          : sql`account_id = ${accountId} AND created_by = ${createdBy}`
      return read(
        partFrom(
          countOf(sql`SELECT count(*) AS count FROM capture_links WHERE ${isListed}`),
          Effect.map(
            sql<LinkRow>`SELECT id, document, token_hash, sealed FROM capture_links WHERE ${isListed}
              ORDER BY sequence DESC LIMIT ${limit} OFFSET ${offset}`,
            (rows) => rows.map(linkOf)
          )
        )
      )
    },
    save: ({ sealedToken, tokenHash, ...link }) =>
      write(sql`
        INSERT INTO capture_links (id, account_id, created_by, token_hash, sealed, document)
        VALUES (${link.id}, ${link.accountId}, ${link.createdBy}, ${tokenHash}, ${sealedToken}, ${JSON.stringify(link)})
        ON CONFLICT (id) DO UPDATE SET account_id = excluded.account_id, created_by = excluded.created_by,
          token_hash = excluded.token_hash, sealed = excluded.sealed, document = excluded.document`).pipe(Effect.asVoid)
  }
}

/** More than a capture has. */
const allPieces = 2 ** 31 - 1

type TokenRow = readonly [captureId: string, kind: string, expiresAt: number, capture: string]

export const makeCaptures = ({ query, read, sql, write }: Database): CaptureRepository => ({
  byId: (id) => read(firstOf(readCapture, sql<DocumentRow>`SELECT id, document FROM captures WHERE id = ${id}`)),
  byToken: (hash) =>
    read(
      Effect.map(
        query<TokenRow>(
          `SELECT t.capture_id, t.kind, t.expires_at, c.document FROM capture_tokens t
            JOIN captures c ON c.id = t.capture_id WHERE t.hash = ?`,
          hash
        ),
        ([row]) => {
          if (row === undefined) return undefined
          const [captureId, kind, expiresAt, document] = row
          return { token: readToken({ hash, captureId, kind, expiresAt }), capture: readCapture(captureId, document) }
        }
      )
    ),
  ofRecording: (uuid) =>
    read(firstOf(readCapture, sql<DocumentRow>`SELECT id, document FROM captures WHERE recording_uuid = ${uuid}`)),
  save: (capture) =>
    write(sql`
      INSERT INTO captures (id, recording_uuid, held_bytes, document)
      VALUES (${capture.id}, ${capture.recordingUuid}, ${heldBytes(capture)}, ${JSON.stringify(capture)})
      ON CONFLICT (id) DO UPDATE SET recording_uuid = excluded.recording_uuid, held_bytes = excluded.held_bytes,
        document = excluded.document`).pipe(Effect.asVoid),
  remove: (id) =>
    write(
      Effect.all(
        [
          sql`DELETE FROM capture_pieces WHERE capture_id = ${id}`,
          sql`DELETE FROM capture_tokens WHERE capture_id = ${id}`,
          sql`DELETE FROM captures WHERE id = ${id}`
        ],
        { discard: true }
      )
    ),
  pieces: <Kind extends CapturePiece["kind"]>(
    id: string,
    kind: Kind,
    { after, limit }: PiecePage = { after: -1, limit: allPieces }
  ) =>
    read(
      allOf(
        readPiece[kind],
        sql<DocumentRow>`
        SELECT capture_id || ' ' || sequence AS id, document FROM capture_pieces
        WHERE capture_id = ${id} AND kind = ${kind} AND sequence > ${after} ORDER BY sequence LIMIT ${limit}`
      )
    ),
  addPiece: (id, piece) =>
    write(sql`
      INSERT INTO capture_pieces (capture_id, sequence, kind, upload_id, document)
      VALUES (${id}, ${piece.sequence}, ${piece.kind}, ${piece.kind === "video" ? piece.uploadId : null},
        ${JSON.stringify(piece)})`).pipe(Effect.asVoid),
  removePieces: (id) => Effect.asVoid(write(sql`DELETE FROM capture_pieces WHERE capture_id = ${id}`)),
  removePiecesOf: (id, uploadId) =>
    write(sql`DELETE FROM capture_pieces WHERE capture_id = ${id} AND upload_id = ${uploadId}`).pipe(Effect.asVoid),
  saveToken: ({ captureId, expiresAt, hash, kind }) =>
    write(sql`
      INSERT INTO capture_tokens (hash, capture_id, kind, expires_at)
      VALUES (${hash}, ${captureId}, ${kind}, ${expiresAt})`).pipe(Effect.asVoid),
  removeToken: (hash) => Effect.asVoid(write(sql`DELETE FROM capture_tokens WHERE hash = ${hash}`)),
  removeTokens: (id, kinds) =>
    write(
      Effect.forEach(kinds, (kind) => sql`DELETE FROM capture_tokens WHERE capture_id = ${id} AND kind = ${kind}`, {
        discard: true
      })
    ),
  pruneTokens: (now) => write(pruneRows(query, { table: "capture_tokens", key: "hash", endsAt: "expires_at" }, now))
})
