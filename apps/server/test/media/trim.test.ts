import type { Store } from "@tapedeck/core"
import type { MediaJob } from "@tapedeck/domain/internal/jobs"
import { Deferred, Effect } from "effect"
import { describe, expect, test } from "vitest"

import {
  broken,
  contentOf,
  failedLine,
  limits,
  mediaWorker,
  original,
  servicesOn,
  tools,
  uploaded,
  working
} from "./working.ts"

describe("A trim", () => {
  const begin = (store: Store, add: (kind: MediaJob["kind"]) => Effect.Effect<void>) =>
    Effect.gen(function* () {
      const trim = { startSeconds: 1, endSeconds: 3, state: "processing" } as const
      yield* store.recordings.save({ ...uploaded, durationSeconds: 9, video: { ...uploaded.video, trim } })
      yield* add("trim")
    })

  test("makes the edited file and its own still, and keeps the whole video", () =>
    working({ tools: tools() }, ({ add, done, store }) =>
      Effect.gen(function* () {
        yield* begin(store, add)
        const { durationSeconds, video } = yield* done
        expect(video).toMatchObject({ original, trim: { state: "ready", whole: { durationSeconds: 9 } } })
        expect(durationSeconds).toBe(2)
        expect(yield* contentOf(store, video.edited?.fileId)).toBe("1 to 3 of video")
        expect(yield* contentOf(store, video.thumbnail?.fileId)).toBe("still of 1 to 3 of video")
      })
    ))

  test("fails if ffmpeg cannot make it, and the whole video stays", () =>
    working({ tools: tools({ trimmed: () => Effect.fail(broken) }) }, ({ add, done, files, log, store }) =>
      Effect.gen(function* () {
        yield* begin(store, add)
        expect((yield* done).video).toMatchObject({ edited: null, trim: { state: "failed" } })
        expect(files()).toEqual(["f1"])
        expect(log).toEqual([failedLine("trim", "ffmpeg exited with 1: no such codec", "given_up")])
      })
    ))

  test("is made by the next worker if the server ends during it", () => {
    const begun = Deferred.makeUnsafe<void>()
    const hanging = tools({ trimmed: () => Effect.andThen(Deferred.succeed(begun, undefined), Effect.never) })
    return working({ tools: hanging }, ({ add, directory, done, files, stop, store }) =>
      Effect.gen(function* () {
        yield* begin(store, add)
        yield* Deferred.await(begun)
        yield* stop
        expect(files()).toEqual(["f1"])
        const next = mediaWorker({
          ...limits,
          directory,
          tools: Effect.succeed(tools()),
          transcriber: null
        })
        yield* Effect.forkScoped(next)
        expect((yield* done).video.trim?.state).toBe("ready")
      }).pipe(Effect.scoped, Effect.provide(servicesOn(store)))
    )
  })
})
