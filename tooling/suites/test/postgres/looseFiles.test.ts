import { existsSync, mkdirSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { instantAfter } from "@tapedeck/testkit/samples"
import { Effect } from "effect"
import { afterAll, expect, test } from "vitest"
import { directory, emptyDatabase, openPostgres, stopPostgres } from "../conformance/postgres.ts"

afterAll(stopPostgres)

const dayMs = 86_400_000

test("loose temporary files are removed when the database has known them unchanged for a day, whatever their times", () =>
  Effect.gen(function* () {
    const database = yield* emptyDatabase
    const place = yield* directory
    const path = join(place, "shared")
    const node = join(path, "00000000-0000-4000-8000-000000000000")
    const [changed, folder, old] = ["changed.part", "media-1", "old.part"].map((name) => join(path, name)) as [
      string,
      string,
      string
    ]
    for (const one of [node, folder]) mkdirSync(one, { recursive: true })
    for (const one of [changed, old, join(folder, "original"), join(node, "own.part")]) writeFileSync(one, "half")
    utimesSync(changed, new Date(0), new Date(0))
    utimesSync(old, new Date("2100-01-01"), new Date("2100-01-01"))

    const query = (text: string, ...values: ReadonlyArray<unknown>) =>
      Effect.promise(() => database.query(text, values))
    const known = query("SELECT 1 FROM meta WHERE name LIKE 'loose_file %'")
    /** A node starts, and runs until this holds. */
    const runAt = Effect.fnUntraced(function* (ms: number, isDone: Effect.Effect<boolean>) {
      yield* query("UPDATE test_clock SET at = $1", instantAfter(ms))
      yield* openPostgres(database.url, place, undefined, { shared: { path, looseMs: dayMs } })
      while (!(yield* isDone)) yield* Effect.yieldNow
    }, Effect.scoped)

    yield* runAt(
      0,
      Effect.map(known, ({ length }) => length === 3)
    )
    writeFileSync(changed, "half of it")
    yield* runAt(
      dayMs - 1,
      Effect.map(known, ({ length }) => length === 4)
    )
    expect([changed, folder, old, node].map(existsSync)).toEqual([true, true, true, true])
    yield* runAt(
      dayMs,
      Effect.andThen(
        known,
        Effect.sync(() => !existsSync(old))
      )
    )
    expect([changed, folder, join(node, "own.part")].map(existsSync)).toEqual([true, false, true])
    yield* runAt(
      2 * dayMs,
      Effect.map(known, ({ length }) => length === 1)
    )
  }).pipe(Effect.scoped, Effect.runPromise))
