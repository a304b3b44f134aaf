import type { MediaJob } from "@tapedeck/domain/internal/jobs"
import { Effect, Schema } from "effect"
import { describe, expect, it } from "vitest"
import {
  documentOfWorldState,
  emptyWorld,
  makeMemoryStore,
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
})
