import type { RecordingSearch, Store } from "@tapedeck/core"
import type { Recording, RecordingParts, Segment } from "@tapedeck/domain"
import {
  MAX_SPOKEN_CHARACTERS,
  MAX_SPOKEN_TOKENS,
  noParts,
  parseSearch,
  recordingOrders
} from "@tapedeck/domain/internal/recordings"
import { noTranscript, sourcesOf } from "@tapedeck/domain/internal/transcript"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import type { Promised } from "./backend.ts"
import { anAccount, aRecording, instantAfter } from "./samples.ts"

const said = (...texts: ReadonlyArray<string>): ReadonlyArray<Segment> =>
  texts.map((text, index) => ({ startSeconds: index * 4, endSeconds: null, text, sentences: [] }))

/** Saves a recording with texts of a transcript, as use cases do: the recording first. */
const save = Effect.fnUntraced(function* (
  store: Store,
  recording: Recording,
  texts: Partial<Pick<RecordingParts, "edited" | "processed" | "legacyText">>
) {
  const transcript = { ...(recording.transcript ?? noTranscript), ...sourcesOf(texts) }
  const saved: Recording = { ...recording, transcript: { ...transcript, status: "ready" } }
  yield* store.transaction(Effect.andThen(store.recordings.save(saved), store.recordingParts.save(saved.id, texts)))
  return saved
})

/** The recordings that a search finds, and those in whose transcripts it finds them. */
const search = (store: Store, text: string, options: Partial<RecordingSearch> = {}) =>
  Effect.map(
    store.recordings.search(
      { accountId: anAccount(1).id, order: "-created_at", ...parseSearch(text), ...options },
      null,
      100
    ),
    ({ count, items, spoken }) => {
      expect(items).toHaveLength(count)
      return items.map(({ id }) => (spoken.has(id) ? `${id} spoken` : `${id}`))
    }
  )

export const spokenSearch = (promised: Promised): void => {
  describe("a search of what was said", () => {
    promised("finds words of the transcript, alone and beside words of the fields, in every order", ({ store }) =>
      Effect.gen(function* () {
        yield* save(store, aRecording(1, { title: "Checkout" }), {
          processed: said("The Düsseldorf refund", "did not arrive.")
        })
        yield* save(store, aRecording(2, { title: "Refund", summary: "checkout" }), { processed: said("Hello") })
        yield* save(store, aRecording(3, { accountId: anAccount(2).id }), { processed: said("refund") })
        expect(yield* search(store, "dusseld")).toEqual(["1 spoken"])
        expect(yield* search(store, "refund")).toEqual(["2", "1 spoken"])
        expect(yield* search(store, "checkout arrive")).toEqual(["1 spoken"])
        expect(yield* search(store, "hello arrive")).toEqual([])
        for (const order of recordingOrders) {
          expect(yield* search(store, "checkout refund", { order, type: "Received" })).toHaveLength(2)
          expect(yield* search(store, "hello", { order })).toEqual(["2 spoken"])
        }
        expect(yield* search(store, "hello", { until: aRecording(1).createdAt })).toEqual([])
        expect(yield* search(store, aRecording(1).uuid)).toEqual(["1"])
      })
    )

    promised(
      "finds what readers see: edits, else the recognized text, else the legacy text, and none while one is made",
      ({ store }) =>
        Effect.gen(function* () {
          const legacy = yield* save(store, aRecording(1), { legacyText: "parrot" })
          expect(yield* search(store, "parrot")).toEqual(["1 spoken"])
          const processed = yield* save(store, legacy, { processed: said("heron") })
          expect(yield* search(store, "parrot")).toEqual([])
          const edited = yield* save(store, processed, { edited: said("stork") })
          expect([yield* search(store, "heron"), yield* search(store, "stork")]).toEqual([[], ["1 spoken"]])
          const reverted = yield* save(store, edited, { edited: [] })
          expect([yield* search(store, "heron"), yield* search(store, "stork")]).toEqual([["1 spoken"], []])
          const transcript = { ...reverted.transcript!, status: "processing" as const }
          yield* store.recordings.save({ ...reverted, transcript })
          expect(yield* search(store, "heron")).toEqual([])
          yield* store.recordings.save({ ...reverted, title: "Birds", createdAt: instantAfter(9) })
          expect(yield* search(store, "birds heron")).toEqual(["1 spoken"])
          yield* store.recordingParts.save(reverted.id, noParts)
          yield* store.recordings.save({ ...reverted, transcript: null })
          expect(yield* search(store, "heron")).toEqual([])
        })
    )

    promised("finds no words of a removed recording, of a removed passage, and of what a trim cuts off", ({ store }) =>
      Effect.gen(function* () {
        const one = yield* save(store, aRecording(1), { processed: said("my card is 4111", "it is declined", "bye") })
        const range = { startSeconds: 4, endSeconds: 8 }
        const trim = { ...range, state: "ready" as const, whole: { durationSeconds: 12, thumbnail: null } }
        yield* store.recordings.save({ ...one, video: { ...one.video, trim: trim as never } })
        for (const [text, found] of [
          ["card", []],
          ["declined", ["1 spoken"]],
          ["bye", []]
        ] as const) {
          expect([text, yield* search(store, text)]).toEqual([text, found])
        }
        yield* store.recordings.save(one)
        expect(yield* search(store, "bye")).toEqual(["1 spoken"])
        const redacted = yield* save(store, one, { processed: said("my card is …", "it is declined", "bye") })
        expect(yield* search(store, "4111")).toEqual([])
        yield* store.recordings.remove(redacted.uuid)
        expect(yield* search(store, "declined")).toEqual([])
        yield* store.recordings.save(aRecording(1))
        expect(yield* search(store, "declined")).toEqual([])
      })
    )

    promised(
      "finds a phrase in double quotes, and whole words in them, also from one segment into the next",
      ({ store }) =>
        Effect.gen(function* () {
          yield* save(store, aRecording(1), { processed: said("The payment was", "declined twice.") })
          yield* save(store, aRecording(2), { processed: said("Declined: was it the payment?") })
          yield* store.recordings.save(
            aRecording(3, {
              title: "Payment was Déclined",
              description: "Payments",
              customerEmail: "was@declined.test"
            })
          )
          expect(yield* search(store, "was declined")).toEqual(["3", "2 spoken", "1 spoken"])
          expect(yield* search(store, '"was declined"')).toEqual(["3", "1 spoken"])
          expect(yield* search(store, "“Was DECLINED” twi")).toEqual(["1 spoken"])
          expect(yield* search(store, '"payment was declined"')).toEqual(["3", "1 spoken"])
          expect(yield* search(store, '"the was"')).toEqual([])
          expect(yield* search(store, '"payments"')).toEqual(["3"])
          expect(yield* search(store, '"paymen"')).toEqual([])
          expect(yield* search(store, '"was decl')).toEqual(["3", "2 spoken", "1 spoken"])
          expect(yield* search(store, '"" declined')).toEqual(["3", "2 spoken", "1 spoken"])
          // No phrase joins a field to the next.
          expect(yield* search(store, '"declined payments"')).toEqual([])
        })
    )

    promised(
      "finds text without spaces between words from each of its characters, and compounds from their start",
      ({ store }) =>
        Effect.gen(function* () {
          yield* save(store, aRecording(1, { title: "決済エラーの報告" }), {
            processed: said("iPhone15の画面で支払いができません。", "ผมจ่ายเงินไม่ได้")
          })
          yield* save(store, aRecording(2), { processed: said("Die Zahlungsbestätigung fehlt", "面画") })
          expect(yield* search(store, "エラー")).toEqual(["1"])
          expect(yield* search(store, "支払い 決済")).toEqual(["1 spoken"])
          expect(yield* search(store, '"支払いが"')).toEqual(["1 spoken"])
          expect(yield* search(store, "画面")).toEqual(["1 spoken"])
          expect(yield* search(store, "ん")).toEqual(["1 spoken"])
          expect(yield* search(store, "告")).toEqual(["1"])
          expect(yield* search(store, "iphone15の画")).toEqual(["1 spoken"])
          expect(yield* search(store, "ไม่ได้")).toEqual(["1 spoken"])
          expect(yield* search(store, "エー")).toEqual([])
          expect(yield* search(store, "zahlungs")).toEqual(["2 spoken"])
          expect(yield* search(store, "bestätigung")).toEqual([])
        })
    )

    promised("takes a limited number of words from a transcript, of a limited part of it", ({ store }) =>
      Effect.gen(function* () {
        // A word more is a pair more.
        const words = (count: number) => Array.from({ length: count }, (_, n) => `w${n.toString(36)}`).join(" ")
        const most = MAX_SPOKEN_TOKENS / 2
        const eighth = "ab ".repeat(MAX_SPOKEN_CHARACTERS).slice(0, MAX_SPOKEN_CHARACTERS / 8)
        yield* save(store, aRecording(1), { processed: said(words(most), "within beyond") })
        yield* save(store, aRecording(2), {
          processed: said(...Array<string>(7).fill(eighth), `${eighth.slice(0, -5)} last`, "late")
        })
        expect(yield* search(store, "within")).toEqual(["1 spoken"])
        expect(yield* search(store, "beyond")).toEqual([])
        expect(yield* search(store, "last")).toEqual(["2 spoken"])
        expect(yield* search(store, "late")).toEqual([])
      })
    )
  })
}
