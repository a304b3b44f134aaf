import { DatabaseSync } from "node:sqlite"
import { FolderId } from "@tapedeck/domain"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { acme, openRecordings, sample } from "./recordingsStore.ts"

type Opened = Effect.Success<ReturnType<typeof openRecordings>>

/** One promise, with a recording that was read, and so is kept. */
const promised = (sentence: string, body: (opened: Opened) => Effect.Effect<void>) =>
  it(sentence, () =>
    Effect.gen(function* () {
      const opened = yield* openRecordings()
      yield* opened.recordings.save(sample({ id: 1, folder: "vip" }))
      yield* titles(opened)
      yield* body(opened)
    }).pipe(Effect.scoped, Effect.runPromise)
  )

const first = ({ recordings }: Opened) =>
  Effect.map(recordings.page({ accountId: acme }, { offset: 0, limit: 10 }), ({ items: [one] }) => one)

const titles = ({ recordings }: Opened) =>
  Effect.map(recordings.page({ accountId: acme }, { offset: 0, limit: 10 }), ({ items }) =>
    items.map(({ title }) => title)
  )

describe("a cached recording", () => {
  promised("is the same object in all reads until it changes", (opened) =>
    Effect.gen(function* () {
      const one = yield* first(opened)
      expect(yield* first(opened)).toBe(one)
      expect(yield* opened.recordings.byId(one!.id)).toBe(one)
      expect(yield* opened.recordings.byUuid(one!.uuid)).toBe(one)
    })
  )

  promised("has a change in the next read", (opened) =>
    Effect.gen(function* () {
      yield* opened.recordings.save(sample({ id: 1, title: "changed" }))
      expect(yield* titles(opened)).toEqual(["changed"])
    })
  )

  promised("has another process' change in the next read", (opened) =>
    Effect.gen(function* () {
      const other = new DatabaseSync(opened.file)
      other.exec(
        "UPDATE recordings SET revision = revision + 1, document = json_set(document, '$.title', 'by another')"
      )
      other.close()
      expect(yield* titles(opened)).toEqual(["by another"])
    })
  )

  promised("has a transaction's changes only in that transaction until it commits", (opened) =>
    Effect.gen(function* () {
      const body = Effect.gen(function* () {
        yield* opened.recordings.save(sample({ id: 1, title: "taken back" }))
        expect(yield* titles(opened)).toEqual(["taken back"])
        return yield* Effect.fail("no")
      })
      yield* Effect.ignore(opened.database.transaction(body))
      expect(yield* titles(opened)).toEqual(["Recording 1"])
      // It has the revision that the one that was taken back had.
      yield* opened.recordings.save(sample({ id: 1, title: "kept" }))
      expect(yield* titles(opened)).toEqual(["kept"])
    })
  )

  promised("is not returned for a new recording with the same id", (opened) =>
    Effect.gen(function* () {
      yield* opened.recordings.remove(sample({ id: 1 }).uuid)
      yield* opened.recordings.save(sample({ id: 1, title: "another" }))
      expect(yield* titles(opened)).toEqual(["another"])
    })
  )

  promised("has no folder after its folder was removed", (opened) =>
    Effect.gen(function* () {
      expect((yield* first(opened))!.folderId).toBe("vip")
      yield* opened.recordings.leaveFolder({ accountId: acme, id: FolderId.make("vip") }, { after: null, limit: 2 })
      expect((yield* first(opened))!.folderId).toBeNull()
    })
  )
})
