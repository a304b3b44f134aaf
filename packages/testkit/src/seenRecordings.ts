import { maxForgotten } from "@tapedeck/core"
import { UserId } from "@tapedeck/domain"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import type { Promised } from "./backend.ts"
import { aRecording, instantAfter, uuidOf } from "./samples.ts"

const [ada, bob] = [UserId.make(11), UserId.make(12)]

const seenBy = (userId: UserId, ms = 10) => ({ userId, expiresAt: instantAfter(ms) })

export const seenRecordings = (promised: Promised): void => {
  describe("recordings that a user has opened", () => {
    promised("are known by user, and are removed with their recording", ({ store: { recordings } }) =>
      Effect.gen(function* () {
        const uuids = [1, 2, 3].map(uuidOf)
        yield* recordings.add([1, 2].map((id) => aRecording(id)))
        for (const uuid of uuids) yield* recordings.markSeen(uuid, seenBy(ada))
        yield* recordings.markSeen(uuidOf(1), seenBy(ada, 99))
        yield* recordings.markSeen(uuidOf(1), seenBy(bob))
        expect(yield* recordings.seenBy(ada, uuids)).toEqual(new Set([uuidOf(1), uuidOf(2)]))
        expect(yield* recordings.seenBy(bob, uuids)).toEqual(new Set([uuidOf(1)]))
        expect(yield* recordings.seenBy(bob, [])).toEqual(new Set())
        yield* recordings.remove(uuidOf(1))
        yield* recordings.add([aRecording(1)])
        expect(yield* recordings.seenBy(ada, uuids)).toEqual(new Set([uuidOf(2)]))
        expect(yield* recordings.seenBy(bob, uuids)).toEqual(new Set())
      })
    )

    promised(
      "are forgotten once they count as seen, up to a limit at a time",
      ({ store: { recordings, transaction } }) =>
        Effect.gen(function* () {
          yield* recordings.add([1, 2].map((id) => aRecording(id)))
          const users = Array.from({ length: maxForgotten + 1 }, (_, index) => UserId.make(index + 1))
          yield* transaction(
            Effect.forEach(users, (id) => recordings.markSeen(uuidOf(1), seenBy(id, 4)), { discard: true })
          )
          yield* recordings.markSeen(uuidOf(2), seenBy(ada, 5))
          expect(yield* recordings.forgetSeen(instantAfter(4))).toBe(0)
          expect(yield* recordings.forgetSeen(instantAfter(5))).toBe(maxForgotten)
          expect(yield* recordings.forgetSeen(instantAfter(5))).toBe(1)
          expect(yield* recordings.forgetSeen(instantAfter(5))).toBe(0)
          expect(yield* recordings.seenBy(ada, [1, 2].map(uuidOf))).toEqual(new Set([uuidOf(2)]))
        })
    )
  })
}
