import { Cause, Effect, Exit } from "effect"
import { afterAll, describe, expect, it } from "vitest"
import { bucketKind } from "./bucket.ts"
import { diskKind } from "./onADisk.ts"
import type { Place } from "./places.ts"
import { stopBackend } from "./s3/backend.ts"

afterAll(stopBackend)

const defectOf = <A>(effect: Effect.Effect<A>) =>
  Effect.map(Effect.exit(effect), (exit) => (Exit.isFailure(exit) ? Cause.squash(exit.cause) : "no defect"))

describe.each([
  [diskKind, "directory"],
  [bucketKind, "bucket"]
] as const)("files %#: $name", ({ makePlace }, setting) => {
  const run = <A, E>(body: (place: Place) => Effect.Effect<A, E>) =>
    Effect.runPromise(Effect.scoped(Effect.flatMap(makePlace, body)))

  it("belong to one installation, and to one database of it, so that no other removes them as orphans", () =>
    run((place) =>
      Effect.scoped(
        Effect.gen(function* () {
          const bytes = yield* place.openBytes
          const claim = (installation: string, database?: string) =>
            bytes.claim(Effect.succeed({ installation, database }))
          const message = expect.stringMatching(/belong to another installation.*remove .*tapedeck\.json$/)
          const refused = { name: "FilesRefused", setting, message }
          yield* claim("one")
          yield* claim("one")
          expect(yield* defectOf(claim("two"))).toMatchObject(refused)
          // They move to a database that a copy can be told from, and not back.
          yield* claim("one", "here")
          yield* claim("one", "here")
          expect(yield* defectOf(claim("one", "there"))).toMatchObject(refused)
          expect(yield* defectOf(claim("one"))).toMatchObject(refused)
          expect(yield* defectOf(claim("two", "here"))).toMatchObject(refused)
          // The mark is no content, and nothing temporary is left of it.
          expect(yield* place.left).toEqual({ contents: [], temporary: [] })
        })
      )
    ))
})

it("a directory without a mark belongs to one of two that begin at the same moment", () =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const place = yield* diskKind.makePlace
        const claims = ["one", "two", "three"].map((installation) =>
          Effect.flatMap(place.openBytes, (bytes) => Effect.exit(bytes.claim(Effect.succeed({ installation }))))
        )
        const exits = yield* Effect.all(claims, { concurrency: "unbounded" })
        expect(exits.filter(Exit.isSuccess)).toHaveLength(1)
        expect(yield* place.left).toEqual({ contents: [], temporary: [] })
      })
    )
  ))
