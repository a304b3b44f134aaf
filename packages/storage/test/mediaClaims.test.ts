import { DatabaseSync } from "node:sqlite"
import { Instant, RecordingUuid } from "@tapedeck/domain"
import { Effect } from "effect"
import { expect, test } from "vitest"
import { databaseIn, openStore, temporaryDirectory } from "./openStore.ts"

const aJob = (queueKey: string) => ({
  recordingUuid: RecordingUuid.make("00000000-0000-4000-8000-000000000001"),
  kind: "process" as const,
  fileId: "f",
  queueKey,
  maxSeconds: null,
  failedTries: 0,
  dueAt: Instant.make(0)
})

test("the last claims of queues are forgotten when 10,000 claims have followed", () =>
  Effect.gen(function* () {
    const directory = yield* temporaryDirectory
    const store = yield* openStore(directory)
    const database = yield* Effect.acquireRelease(
      Effect.sync(() => new DatabaseSync(databaseIn(directory))),
      (opened) => Effect.sync(() => opened.close())
    )
    database.exec(`INSERT INTO media_claims VALUES ('7', 1), ('7:gone', 1), ('8', 9000), ('8:', 9000);
      INSERT INTO counters VALUES ('media_fence', 11000) ON CONFLICT (kind) DO UPDATE SET value = excluded.value`)
    yield* store.mediaJobs.add(aJob("1:"))
    expect(yield* store.mediaJobs.claim({ limit: 1, leaseMs: 1 })).toHaveLength(1)
    const keys = database.prepare("SELECT claim_key FROM media_claims ORDER BY claim_key").all()
    expect(keys.map(({ claim_key }) => claim_key)).toEqual(["1", "1:", "8", "8:"])
  }).pipe(Effect.scoped, Effect.runPromise))
