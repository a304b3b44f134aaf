import type { Instant, UserId } from "@tapedeck/domain"
import type { ResumableUpload, UploadPiece } from "@tapedeck/domain/internal/files"
import type { Effect } from "effect"

/** Resumable uploads of members, and their pieces until they are joined. */
export interface UploadRepository {
  readonly byId: (id: string) => Effect.Effect<ResumableUpload | undefined>
  /** Returns the number of the user's uploads that are not complete and do not expire by `now`. */
  readonly inProgress: (userId: UserId, now: Instant) => Effect.Effect<number>
  /** Returns uploads that have expired by the store's clock, complete ones too. */
  readonly expired: (limit: number) => Effect.Effect<ReadonlyArray<ResumableUpload>>
  /** Returns when the next upload expires, or has expired; undefined if there is none. */
  readonly nextExpiry: Effect.Effect<Instant | undefined>
  readonly save: (upload: ResumableUpload) => Effect.Effect<void>
  /** Removes the upload with its pieces. Their files stay. */
  readonly remove: (id: string) => Effect.Effect<void>
  /** Returns the pieces by `start`: all, or the first ones. */
  readonly pieces: (id: string, limit?: number) => Effect.Effect<ReadonlyArray<UploadPiece>>
  readonly addPiece: (id: string, piece: UploadPiece) => Effect.Effect<void>
  /** Removes the pieces of an upload up to the one at `start`. Their files stay. */
  readonly removePieces: (id: string, start: number) => Effect.Effect<void>
}
