import type { Instant, UserId } from "@tapedeck/domain"
import type { UploadPiece } from "@tapedeck/domain/internal/files"
import type { Store } from "../Store.ts"
import type { MemoryState } from "./MemoryState.ts"
import type { Draft, WorldState } from "./WorldState.ts"

/** The order of the keys is that of the pieces. */
const pieceKey = (uploadId: string, start: number): string => `${uploadId}:${String(start).padStart(16, "0")}`

const inProgress = (state: WorldState, userId: UserId, now: Instant): number =>
  state.uploads.valuesArray().filter((one) => one.userId === userId && !one.isComplete && one.expiresAt > now).length

const piecesOf = (
  state: WorldState,
  uploadId: string,
  limit = Number.POSITIVE_INFINITY
): ReadonlyArray<UploadPiece> => {
  const pieces: Array<UploadPiece> = []
  for (const row of state.uploadPieces.values(pieceKey(uploadId, 0))) {
    if (row.uploadId !== uploadId || pieces.length === limit) break
    pieces.push(row.piece)
  }
  return pieces
}

export const addUploadPiece = (draft: Draft, uploadId: string, piece: UploadPiece) =>
  void draft.edit("uploadPieces").set(pieceKey(uploadId, piece.start), { uploadId, piece })

const removePieces = (draft: Draft, uploadId: string, until = Number.POSITIVE_INFINITY) => {
  for (const { start } of piecesOf(draft.state, uploadId)) {
    if (start > until) break
    draft.edit("uploadPieces").delete(pieceKey(uploadId, start))
  }
}

const removeUpload = (draft: Draft, id: string) => {
  removePieces(draft, id)
  draft.edit("uploads").delete(id)
}

/** Resumable uploads in memory. */
export const uploadRepository = ({ read, write, writeAt }: MemoryState): Pick<Store, "uploads"> => ({
  uploads: {
    byId: (id) => read((state) => state.uploads.get(id)),
    inProgress: (userId, now) => read((state) => inProgress(state, userId, now)),
    expired: (limit) =>
      writeAt(
        ({ state }, now) =>
          state.uploads
            .valuesArray()
            .filter(({ expiresAt }) => expiresAt <= now)
            .slice(0, limit),
        false
      ),
    nextExpiry: read((state) =>
      state.uploads
        .valuesArray()
        .map(({ expiresAt }) => expiresAt)
        .sort((a, b) => a - b)
        .at(0)
    ),
    save: (upload) => write((draft) => draft.edit("uploads").set(upload.id, upload)),
    remove: (id) => write((draft) => removeUpload(draft, id)),
    pieces: (id, limit) => read((state) => piecesOf(state, id, limit)),
    addPiece: (id, piece) => write((draft) => addUploadPiece(draft, id, piece)),
    removePieces: (id, start) => write((draft) => removePieces(draft, id, start))
  }
})
