import * as Schema from "effect/Schema"
import { RecordingUuid, UserId } from "../ids.ts"
import { Instant } from "../time.ts"

/**
 * A member's upload of a video in parts. Its bytes are pieces until it is complete. A complete upload stays until it expires, so that a
 * client that lost the last answer learns of it.
 */
export const ResumableUpload = Schema.Struct({
  id: Schema.String,
  recordingUuid: RecordingUuid,
  /** The user who may continue it. */
  userId: UserId,
  isComplete: Schema.Boolean,
  offset: Schema.Natural,
  /** Size of the file, in bytes; null if it is not declared yet. */
  sizeBytes: Schema.NullOr(Schema.Natural),
  contentType: Schema.String,
  /** `Upload-Metadata`, as received; null if there was none. */
  metadata: Schema.NullOr(Schema.String),
  /** Number of written pieces. */
  pieces: Schema.Natural,
  expiresAt: Instant,
  /** Number of claims of its completion. Only the last claim may complete it. */
  fence: Schema.Natural,
  /** End of the lease of the process that is completing it; null for none. */
  leasedUntil: Schema.NullOr(Instant)
})
export type ResumableUpload = typeof ResumableUpload.Type

/** A stretch of an upload's bytes. Pieces follow each other by `start`, their offset in the upload. */
export const UploadPiece = Schema.Struct({
  start: Schema.Natural,
  fileId: Schema.String,
  sizeBytes: Schema.Natural
})
export type UploadPiece = typeof UploadPiece.Type

/** Returns whether all bytes of an upload are there, and it is not complete yet. */
export const isWhole = ({ isComplete, offset, sizeBytes }: ResumableUpload): boolean =>
  !isComplete && offset === sizeBytes

/**
 * Claims an upload whose bytes are all there until `leaseEnd`, so that no other process completes it. Undefined if bytes are missing, it
 * is complete, or another claim holds it.
 */
export const claimedUpload = (upload: ResumableUpload, at: Instant, leaseEnd: Instant): ResumableUpload | undefined => {
  const isFree = isWhole(upload) && !isLeased(upload, at)
  return isFree ? { ...upload, fence: upload.fence + 1, leasedUntil: leaseEnd } : undefined
}

/** Returns whether a process is completing the upload. */
export const isLeased = ({ leasedUntil }: ResumableUpload, at: Instant): boolean =>
  leasedUntil !== null && leasedUntil > at
