import type { Recording, RecordingId } from "@tapedeck/domain"
import {
  MAX_SPOKEN_CHARACTERS,
  MatchFinder,
  type SearchTerm,
  type SpokenMatch
} from "@tapedeck/domain/internal/recordings"
import { Effect } from "effect"
import { storeOf } from "../store/Store.ts"
import { Transcripts } from "./Transcripts.ts"

/** Segments that are read at a time. */
const pageSize = 20

/** Recordings that are read at the same time: PostgreSQL is asked at least twice for each. */
const concurrency = 4

/** Characters of a transcript after which other fibers run: some milliseconds. */
const maxCharactersAtOnce = 64 * 1024

/**
 * Returns a function that finds the sentences of recordings whose transcripts have words of a search. A recording is read again first: its
 * transcript may have changed since the search, and only what readers see now is returned.
 */
export const spokenMatches = Effect.gen(function* () {
  const store = yield* storeOf("recordings")
  const transcripts = yield* Transcripts

  const matchOf = Effect.fnUntraced(function* (listed: Recording, terms: ReadonlyArray<SearchTerm>) {
    const recording = yield* store.recordings.byId(listed.id)
    if (recording === undefined || recording.uuid !== listed.uuid || recording.ownerId !== listed.ownerId) return
    const { read, segments } = yield* transcripts.open(recording)
    const finder = new MatchFinder(terms)
    let [left, atOnce] = [MAX_SPOKEN_CHARACTERS, 0]
    for (let offset = 0; offset < segments && left > 0 && !finder.isDone; offset += pageSize) {
      for (const segment of yield* read({ offset, limit: pageSize })) {
        if (left <= 0 || finder.isDone) break
        const text = segment.text.slice(0, left)
        finder.take([{ ...segment, text }])
        left -= text.length
        atOnce += text.length
        if (atOnce < maxCharactersAtOnce) continue
        atOnce = 0
        yield* Effect.yieldNow
      }
    }
    return finder.match
  })

  return Effect.fnUntraced(function* (
    recordings: ReadonlyArray<Recording>,
    spoken: ReadonlySet<RecordingId>,
    terms: ReadonlyArray<SearchTerm>
  ) {
    const found = new Map<RecordingId, SpokenMatch>()
    yield* Effect.forEach(
      recordings.filter(({ id }) => spoken.has(id)),
      (recording) =>
        Effect.map(matchOf(recording, terms), (match) => {
          if (match !== undefined) found.set(recording.id, match)
        }),
      { concurrency, discard: true }
    )
    return found
  })
})
