import { type ShareLink, UserId } from "@tapedeck/domain"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import type { Promised } from "./backend.ts"
import { anAccount, aRecording, instantAfter, startInstant, uuidOf } from "./samples.ts"

const aLink = (id: string, known: Partial<ShareLink> = {}): ShareLink => ({
  id,
  accountId: anAccount(1).id,
  recordingUuid: uuidOf(1),
  createdBy: UserId.make(11),
  hash: `hash ${id}`,
  sealed: `sealed ${id}`,
  createdAt: startInstant,
  expiresAt: null,
  ...known
})

export const shareLinks = (promised: Promised): void => {
  describe("a share link", () => {
    promised("is found by its hash, and listed with its recording, oldest first", ({ store }) =>
      Effect.gen(function* () {
        const links = [
          aLink("b", { createdAt: instantAfter(5), expiresAt: instantAfter(10) }),
          aLink("c"),
          aLink("a"),
          aLink("d", { recordingUuid: uuidOf(2) })
        ]
        yield* Effect.forEach(links, store.shareLinks.add)
        expect(yield* store.shareLinks.byHash("hash b")).toEqual(links[0])
        expect(yield* store.shareLinks.byHash("hash x")).toBeUndefined()
        expect(yield* store.shareLinks.ofRecording(uuidOf(1))).toEqual([links[2], links[1], links[0]])
        yield* store.shareLinks.remove("c")
        yield* store.shareLinks.remove("c")
        expect((yield* store.shareLinks.ofRecording(uuidOf(1))).map(({ id }) => id)).toEqual(["a", "b"])
      })
    )

    promised("is removed with its recording", ({ store }) =>
      Effect.gen(function* () {
        yield* store.recordings.save(aRecording(1, { sharing: "account" }))
        expect((yield* store.recordings.byUuid(uuidOf(1)))?.sharing).toBe("account")
        yield* Effect.forEach([aLink("a"), aLink("b", { recordingUuid: uuidOf(2) })], store.shareLinks.add)
        yield* store.recordings.remove(uuidOf(1))
        expect(yield* store.shareLinks.byHash("hash a")).toBeUndefined()
        expect(yield* store.shareLinks.byHash("hash b")).toEqual(aLink("b", { recordingUuid: uuidOf(2) }))
      })
    )
  })
}
