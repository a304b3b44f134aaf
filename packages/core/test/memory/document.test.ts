import type { MediaJob } from "@tapedeck/domain/internal/files"
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
  recordingUuid: uuidOf(1),
  kind: "transcribe",
  fileId: "f1",
  queueKey: "1:",
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
  it("contains media jobs, with their claims, and stills", async () => {
    const memory = makeMemoryStore(emptyWorld())
    const video = { original: null, processed: null, edited: null, thumbnail: still }
    const claims = await Effect.runPromise(
      Effect.gen(function* () {
        yield* memory.store.recordings.save(aRecording(1, { video }))
        yield* memory.store.mediaJobs.add(job)
        return yield* memory.store.mediaJobs.claim({ limit: 1, leaseMs: 1_000 })
      })
    )
    const { store } = restored(written(memory.state()))
    expect((await Effect.runPromise(store.recordings.byUuid(uuidOf(1))))?.video).toEqual(video)
    expect(await Effect.runPromise(store.mediaJobs.ofRecording(uuidOf(1)))).toEqual([job])
    expect(await Effect.runPromise(store.mediaJobs.finish(claims[0]!))).toBe(true)
  })
})
