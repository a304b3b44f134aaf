import { UserId } from "@tapedeck/domain"
import type { MediaJob } from "@tapedeck/domain/internal/jobs"
import { Effect, Schema } from "effect"
import { describe, expect, it } from "vitest"
import {
  documentOfWorldState,
  emptyWorld,
  makeMemoryStore,
  type Store,
  startOfMark,
  WorldStateDocument,
  worldStateOfDocument
} from "../../src/index.ts"
import { aRecording, startInstant, uuidOf } from "../examples.ts"

const job: MediaJob = {
  id: "transcribe 1",
  recordingUuid: uuidOf(1),
  kind: "transcribe",
  fileId: "f1",
  queueKey: "media:1:",
  maxSeconds: 60,
  failedTries: 2,
  dueAt: startInstant
}

const still = { fileId: "f2", contentType: "image/jpeg", sizeBytes: 3, etag: "e" }

/** Through text, as a snapshot goes. */
const restored = (text: string) =>
  makeMemoryStore(worldStateOfDocument(Schema.decodeUnknownSync(WorldStateDocument)(JSON.parse(text))))

const written = (state: Parameters<typeof documentOfWorldState>[0]) =>
  JSON.stringify(Schema.encodeUnknownSync(WorldStateDocument)(documentOfWorldState(state)))

describe("a state as a document", () => {
  it("contains jobs, with their claims, and stills", async () => {
    const memory = makeMemoryStore(emptyWorld())
    const video = { original: null, processed: null, edited: null, thumbnail: still }
    const claims = await Effect.runPromise(
      Effect.gen(function* () {
        yield* memory.store.recordings.save(aRecording(1, { video }))
        yield* memory.store.jobs.enqueue(job)
        return yield* memory.store.jobs.claim({ slots: { media: 1 }, leaseMs: 1_000 })
      })
    )
    const { store } = restored(written(memory.state()))
    expect((await Effect.runPromise(store.recordings.byUuid(uuidOf(1))))?.video).toEqual(video)
    expect(await Effect.runPromise(store.jobs.byIds([job.id]))).toEqual([job])
    expect(await Effect.runPromise(store.jobs.finish(claims[0]!))).toBe(true)
  })

  it("contains the recordings that users have opened", async () => {
    const memory = makeMemoryStore(emptyWorld())
    const [userId, uuids] = [UserId.make(11), [1, 2].map(uuidOf)]
    await Effect.runPromise(memory.store.recordings.add([aRecording(1), aRecording(2)]))
    await Effect.runPromise(memory.store.recordings.markSeen(uuidOf(1), { userId, expiresAt: startInstant }))
    const { store } = restored(written(memory.state()))
    expect(await Effect.runPromise(store.recordings.seenBy(userId, uuids))).toEqual(new Set([uuidOf(1)]))
  })

  it("contains the order of changes of recordings, and removals; without them, all recordings have changed", async () => {
    const memory = makeMemoryStore(emptyWorld())
    const { accountId } = aRecording(1)
    const after = startOfMark(0)
    const changesIn = ({ recordings }: Store) =>
      Effect.runPromise(recordings.changesSince({ accountId, after, removalsFrom: 1, limit: 10 }))
    await Effect.runPromise(
      Effect.gen(function* () {
        const { recordings } = memory.store
        yield* recordings.add([aRecording(1), aRecording(2), aRecording(3)])
        yield* recordings.save(aRecording(1, { title: "last" }))
        yield* recordings.remove(uuidOf(2))
      })
    )
    const text = written(memory.state())
    const again = restored(text)
    expect(written(again.state())).toBe(text)
    const found = await changesIn(again.store)
    expect(found).toEqual(await changesIn(memory.store))
    expect(found.changes.map(({ recording, uuid }) => [uuid, recording === null])).toEqual([
      [uuidOf(3), false],
      [uuidOf(1), false],
      [uuidOf(2), true]
    ])

    const { recordingChanges: _, ...earlier } = JSON.parse(text)
    expect((await changesIn(restored(JSON.stringify(earlier)).store)).changes.map(({ uuid }) => uuid)).toEqual([
      uuidOf(1),
      uuidOf(3)
    ])
  })
})
