import { DatabaseSync } from "node:sqlite"
import { Instant, RecordingUuid } from "@tapedeck/domain"
import type { MediaJob } from "@tapedeck/domain/internal/jobs"
import { Effect } from "effect"
import { expect, test } from "vitest"
import { databaseIn, openStore, temporaryDirectory } from "./openStore.ts"

const aJob: MediaJob = {
  id: "process 1",
  recordingUuid: RecordingUuid.make("00000000-0000-4000-8000-000000000001"),
  kind: "process",
  fileId: "f",
  queueKey: "media:1:",
  maxSeconds: null,
  failedTries: 0,
  dueAt: Instant.make(0)
}

test("the last claims of queues are forgotten when 10,000 claims have followed", () =>
  Effect.gen(function* () {
    const directory = yield* temporaryDirectory
    const store = yield* openStore(directory)
    const database = yield* Effect.acquireRelease(
      Effect.sync(() => new DatabaseSync(databaseIn(directory))),
      (opened) => Effect.sync(() => opened.close())
    )
    database.exec(`INSERT INTO job_claims VALUES ('media:7', 1), ('media:7:gone', 1), ('mail:8', 9000), ('mail:8:', 9000);
      INSERT INTO counters VALUES ('job_fence', 11000) ON CONFLICT (kind) DO UPDATE SET value = excluded.value`)
    yield* store.jobs.enqueue(aJob)
    expect(yield* store.jobs.claim({ slots: { media: 1 }, leaseMs: 1 })).toHaveLength(1)
    const keys = database.prepare("SELECT claim_key FROM job_claims ORDER BY claim_key").all()
    expect(keys.map(({ claim_key }) => claim_key)).toEqual(["mail:8", "mail:8:", "media:1", "media:1:"])
  }).pipe(Effect.scoped, Effect.runPromise))
