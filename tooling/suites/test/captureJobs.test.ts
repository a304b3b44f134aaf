import {
  CaptureStarts,
  CaptureUploads,
  defaultServiceConfig,
  Ids,
  ServiceConfig,
  storeLayer,
  UploadPolicy,
  useCases,
  Vault
} from "@tapedeck/core"
import { CaptureInput } from "@tapedeck/domain/input"
import { onTrial } from "@tapedeck/testkit"
import { aFolder, anAccount, aToken, aUser, instantAfter } from "@tapedeck/testkit/samples"
import { Effect, Layer, Redacted, Stream } from "effect"
import { afterAll, describe, expect, test } from "vitest"
import { runDue } from "../src/support/captureProcess.ts"
import { inputOf } from "../src/support/inputOf.ts"
import { webm } from "../src/support/webm.ts"
import { emptyPostgres, stopPostgres } from "./conformance/postgres.ts"
import { emptySqlite } from "./conformance/sqlite.ts"

afterAll(stopPostgres)

const minuteMs = 60_000
const idleMs = 10 * minuteMs

const [account, user, token] = [anAccount(1), aUser(1), aToken("t", 1)]
const caller = { account, user, tokenId: token.id, kind: "access" } as const

/** What the use cases need besides the store, as in the server. */
const ports = Layer.mergeAll(
  Ids.layerRandom,
  Layer.succeed(ServiceConfig, defaultServiceConfig),
  Layer.succeed(UploadPolicy, { unknownContent: "refused" }),
  Vault.layer(Redacted.make(new Uint8Array(32).fill(7)))
)

describe.each([
  { name: "on SQLite", open: emptySqlite },
  { name: "on PostgreSQL", open: emptyPostgres }
])("the jobs of captures, $name", (backend) => {
  test("finishes a capture with what arrived 10 minutes after its last sign of life, and deletes an empty one", () =>
    Effect.runPromise(
      onTrial(backend, ({ setTime, store }) =>
        Effect.gen(function* () {
          yield* store.accounts.save(account)
          yield* store.users.save(user)
          yield* store.tokens.save(token)
          yield* store.folders.save(aFolder("vip"))
          const { append, createUpload } = yield* CaptureUploads
          const { beginByAgent } = yield* CaptureStarts
          const { capture: kept } = yield* beginByAgent(caller, inputOf(CaptureInput, { folder_id: "vip" }))
          const { capture: empty } = yield* beginByAgent(caller, inputOf(CaptureInput, {}))
          const file = { contentType: "video/webm", metadata: "", part: 0, sizeBytes: null }
          const { id: uploadId } = yield* createUpload(kept.id, file)
          const keptAt = (ms: number) =>
            Effect.gen(function* () {
              yield* setTime(instantAfter(ms))
              yield* runDue
              const states = yield* Effect.forEach([kept, empty], ({ id }) => store.captures.byId(id))
              return states.map((capture) => capture?.state)
            })
          yield* setTime(instantAfter(5 * minuteMs))
          yield* append({ captureId: kept.id, uploadId, offset: 0, bytes: Stream.make(webm(1_000)) })
          expect(yield* keptAt(idleMs - 1)).toEqual(["open", "open"])
          expect(yield* keptAt(idleMs)).toEqual(["open", undefined])
          expect(yield* store.recordings.byUuid(empty.recordingUuid)).toBeUndefined()
          expect(yield* keptAt(5 * minuteMs + idleMs - 1)).toEqual(["open", undefined])
          expect(yield* keptAt(5 * minuteMs + idleMs)).toEqual(["abandoned", undefined])
          expect(yield* store.recordings.byUuid(kept.recordingUuid)).toMatchObject({
            folderId: "vip",
            video: { original: { contentType: "video/webm", sizeBytes: 1_000 } }
          })
        }).pipe(
          Effect.provide(useCases.pipe(Layer.provide(ports), Layer.provideMerge(storeLayer(store)))),
          Effect.orDie
        )
      )
    ))
})
