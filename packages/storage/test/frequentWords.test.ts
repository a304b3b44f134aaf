import { maxCounted } from "@tapedeck/core"
import { parseSearch } from "@tapedeck/domain/internal/recordings"
import { Effect } from "effect"
import { expect, test } from "vitest"
import { acme, openRecordings, sample } from "./recordingsStore.ts"

test("a page of a word that more recordings have than are counted is found behind thousands of others in its order", () =>
  Effect.gen(function* () {
    const { recordings } = yield* openRecordings()
    const [before, having] = [4_500, maxCounted + 1]
    yield* recordings.add(
      Array.from({ length: before + having }, (_, index) =>
        sample({ id: index + 1, createdAt: index, title: index < before ? `a ${index % 7}` : "b frequent" })
      )
    )
    const search = { accountId: acme, order: "title", ...parseSearch("frequent") } as const
    const first = yield* recordings.search(search, null, 3)
    expect(first).toMatchObject({ count: maxCounted, isExact: false })
    expect(first.items.map(({ id }) => id)).toEqual([before + 1, before + 2, before + 3])
    const last = yield* recordings.search(search, { key: "b frequent", id: before + having - 1 }, 3)
    expect(last.items.map(({ id }) => id)).toEqual([before + having])
  }).pipe(Effect.scoped, Effect.runPromise))
