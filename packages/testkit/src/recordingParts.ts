import type { SegmentSource, Store } from "@tapedeck/core"
import type { RecordingParts, Segment } from "@tapedeck/domain"
import { noParts } from "@tapedeck/domain/internal/recordings"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import type { Promised } from "./backend.ts"
import { aRecording, fullParts, uuidOf } from "./samples.ts"

const { id } = aRecording(1)

const segment = (n: number): Segment => ({ startSeconds: n, endSeconds: null, text: `Segment ${n}`, sentences: [] })
const segments = (count: number) => Array.from({ length: count }, (_, n) => segment(n))

const read = Effect.fnUntraced(function* ({ recordingParts }: Store, of = id) {
  const all = { offset: 0, limit: 1_000 }
  const parts: RecordingParts = {
    ...(yield* recordingParts.read(of, "consoleErrors", "networkErrors", "speakerMap", "legacyText", "log")),
    edited: yield* recordingParts.segments(of, "edited", all),
    processed: yield* recordingParts.segments(of, "processed", all)
  }
  return parts
})

export const recordingParts = (promised: Promised): void => {
  describe("the parts of a recording", () => {
    promised("are read as they were saved, separately for each recording", ({ store }) =>
      Effect.gen(function* () {
        yield* Effect.forEach([1, 2], (n) => store.recordings.save(aRecording(n)))
        expect(yield* read(store)).toEqual(noParts)
        yield* store.recordingParts.save(id, fullParts)
        expect(yield* read(store)).toEqual(fullParts)
        expect(yield* store.recordingParts.read(id, "speakerMap")).toEqual({ speakerMap: fullParts.speakerMap })
        expect(yield* store.recordingParts.read(id)).toEqual({})
        expect(yield* read(store, aRecording(2).id)).toEqual(noParts)
        expect(yield* store.recordings.byId(id)).toEqual(aRecording(1))
      })
    )

    promised("are written separately: writing one keeps the others, and saving the recording keeps all", ({ store }) =>
      Effect.gen(function* () {
        yield* store.recordings.save(aRecording(1))
        yield* store.recordingParts.save(id, fullParts)
        yield* store.recordingParts.save(id, { edited: segments(3), networkErrors: null, speakerMap: {} })
        yield* store.recordings.save(aRecording(1, { title: "Changed" }))
        const after = { ...fullParts, edited: segments(3), networkErrors: null, speakerMap: {} }
        expect(yield* read(store)).toEqual(after)
        yield* store.recordingParts.save(id, noParts)
        expect(yield* read(store)).toEqual(noParts)
      })
    )

    promised("have segments that are read in pages, from any position", ({ store }) =>
      Effect.gen(function* () {
        yield* store.recordings.save(aRecording(1))
        yield* store.recordingParts.save(id, { edited: segments(250), processed: segments(1) })
        const page = (offset: number, limit: number, source: SegmentSource = "edited") =>
          Effect.map(store.recordingParts.segments(id, source, { offset, limit }), (found) =>
            found.map(({ startSeconds }) => startSeconds)
          )
        const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => from + n)
        expect(yield* page(0, 100)).toEqual(numbers(0, 100))
        expect(yield* page(200, 100)).toEqual(numbers(200, 250))
        expect(yield* page(99, 3)).toEqual([99, 100, 101])
        expect(yield* page(50, 170)).toEqual(numbers(50, 220))
        expect(yield* page(250, 100)).toEqual([])
        expect(yield* page(0, 100, "processed")).toEqual([0])
        yield* store.recordingParts.save(id, { edited: segments(120) })
        expect(yield* page(100, 100)).toEqual(numbers(100, 120))
        expect(yield* page(200, 100)).toEqual([])
      })
    )

    promised("are removed with their recording, and reverted with a failed transaction", ({ store }) =>
      Effect.gen(function* () {
        yield* store.recordings.save(aRecording(1))
        const failed = Effect.andThen(store.recordingParts.save(id, fullParts), Effect.fail("no"))
        yield* Effect.exit(store.transaction(failed))
        expect(yield* read(store)).toEqual(noParts)
        yield* store.recordingParts.save(id, fullParts)
        yield* store.recordings.remove(uuidOf(1))
        yield* store.recordings.save(aRecording(1))
        expect(yield* read(store)).toEqual(noParts)
      })
    )
  })

  describe("the views of a recording", () => {
    const viewsOf = ({ recordings }: Store) =>
      Effect.gen(function* () {
        const one = yield* recordings.byUuid(uuidOf(1))
        const page = yield* recordings.page({ accountId: aRecording(1).accountId }, { offset: 0, limit: 10 })
        const same = yield* recordings.byId(id)
        expect([page.items.at(-1), same]).toEqual([one, one])
        return one?.impressionsCount
      })

    promised("are counted at once in every read", ({ store }) =>
      Effect.gen(function* () {
        yield* Effect.forEach([1, 2], (n) => store.recordings.save(aRecording(n, { impressionsCount: 6 })))
        expect(yield* viewsOf(store)).toBe(6)
        yield* store.recordings.countView(id)
        expect(yield* viewsOf(store)).toBe(7)
        const views = Array.from({ length: 20 }, () => store.recordings.countView(id))
        yield* Effect.all(views, { concurrency: "unbounded", discard: true })
        expect(yield* viewsOf(store)).toBe(27)
        expect((yield* store.recordings.byUuid(uuidOf(2)))?.impressionsCount).toBe(6)
        expect((yield* store.transaction(store.recordings.byUuid(uuidOf(1))))?.impressionsCount).toBe(27)
      })
    )

    promised("are unchanged when it is saved, and are removed with it", ({ store }) =>
      Effect.gen(function* () {
        yield* store.recordings.save(aRecording(1))
        const before = yield* store.recordings.byUuid(uuidOf(1))
        yield* store.recordings.countView(id)
        yield* store.recordings.save({ ...before!, title: "Changed" })
        expect(yield* store.recordings.byUuid(uuidOf(1))).toEqual(
          aRecording(1, { title: "Changed", impressionsCount: 1 })
        )
        yield* store.recordings.remove(uuidOf(1))
        yield* store.recordings.countView(id)
        expect(yield* store.recordings.byUuid(uuidOf(1))).toBeUndefined()
      })
    )

    promised(
      "are kept over a restart",
      ({ reopen, store }) =>
        Effect.gen(function* () {
          yield* store.recordings.save(aRecording(1, { impressionsCount: 5 }))
          yield* store.recordings.countView(id)
          yield* store.recordings.countView(id)
          const again = yield* reopen
          expect(yield* viewsOf(again)).toBe(7)
          yield* again.recordings.countView(id)
          expect(yield* viewsOf(again)).toBe(8)
        }),
      "reopen"
    )
  })
}
