import { UserId } from "@tapedeck/domain"
import type { ResumableUpload, UploadPiece } from "@tapedeck/domain/internal/files"
import { Effect } from "effect"
import { expect } from "vitest"
import type { Promised } from "./backend.ts"
import { instantAfter, startInstant, uuidOf } from "./samples.ts"

const bob = UserId.make(2)

export const anUpload = (id: string, part: Partial<ResumableUpload> = {}): ResumableUpload => ({
  id,
  recordingUuid: uuidOf(1),
  userId: bob,
  isComplete: false,
  offset: 0,
  sizeBytes: null,
  contentType: "video/mp4",
  metadata: "filename Y2FsbA==",
  pieces: 0,
  expiresAt: startInstant,
  fence: 0,
  leasedUntil: null,
  ...part
})

const piece = (start: number): UploadPiece => ({ start, fileId: `f${start}`, sizeBytes: 3 })

/** Registers the tests of resumable uploads. */
export const uploads = (promise: Promised): void => {
  promise(
    "uploads are found as they were saved last, with their pieces in order, until they are removed",
    ({ store }) =>
      Effect.gen(function* () {
        const upload = anUpload("a")
        yield* store.uploads.save(upload)
        expect(yield* store.uploads.byId("a")).toEqual(upload)
        const more = { ...upload, offset: 1_000_000_000_000, sizeBytes: 2_000_000_000_000, metadata: null, pieces: 3 }
        yield* store.uploads.save(more)
        expect([yield* store.uploads.byId("a"), yield* store.uploads.byId("b")]).toEqual([more, undefined])
        for (const start of [1_000_000_000_000, 9, 10]) yield* store.uploads.addPiece("a", piece(start))
        yield* store.uploads.addPiece("other", piece(0))
        expect(yield* store.uploads.pieces("a")).toEqual([piece(9), piece(10), piece(1_000_000_000_000)])
        expect(yield* store.uploads.pieces("a", 2)).toEqual([piece(9), piece(10)])
        yield* store.uploads.removePieces("a", 10)
        expect(yield* store.uploads.pieces("a")).toEqual([piece(1_000_000_000_000)])
        expect(yield* store.uploads.byId("a")).toEqual(more)
        yield* store.uploads.addPiece("a", piece(0))
        yield* store.uploads.remove("a")
        expect([yield* store.uploads.pieces("a"), yield* store.uploads.byId("a")]).toEqual([[], undefined])
        expect(yield* store.uploads.pieces("other")).toEqual([piece(0)])
      })
  )

  promise("a user's uploads are in progress until they are complete or expire", ({ store }) =>
    Effect.gen(function* () {
      const later = { expiresAt: instantAfter(9) }
      const [one, two] = [anUpload("a", later), anUpload("b", later)]
      for (const upload of [one, two, anUpload("c", { ...later, userId: UserId.make(3) }), anUpload("d")])
        yield* store.uploads.save(upload)
      expect(yield* store.uploads.inProgress(bob, startInstant)).toBe(2)
      yield* store.uploads.save({ ...two, isComplete: true })
      expect(yield* store.uploads.inProgress(bob, startInstant)).toBe(1)
      expect(yield* store.uploads.inProgress(bob, instantAfter(9))).toBe(0)
    })
  )

  promise("uploads expire by the store's clock, complete ones too", ({ store }) =>
    Effect.gen(function* () {
      const late = anUpload("c", { expiresAt: instantAfter(1_000_000_000_000) })
      expect(yield* store.uploads.nextExpiry).toBeUndefined()
      yield* store.uploads.save(late)
      expect(yield* store.uploads.nextExpiry).toBe(late.expiresAt)
      for (const upload of [anUpload("a", { isComplete: true }), anUpload("b")]) yield* store.uploads.save(upload)
      const ids = Effect.map(store.uploads.expired(10), (found) => found.map(({ id }) => id).sort())
      expect(yield* ids).toEqual(["a", "b"])
      expect(yield* store.uploads.expired(1)).toHaveLength(1)
      yield* store.uploads.remove("a")
      expect(yield* ids).toEqual(["b"])
      expect(yield* store.uploads.nextExpiry).toBe(anUpload("b").expiresAt)
    })
  )
}
