import { RecordingId, type Segment } from "@tapedeck/domain"
import { noParts } from "@tapedeck/domain/internal/recordings"
import { Effect } from "effect"
import { expect, test } from "vitest"
import type { Database } from "../src/sql/database/Database.ts"
import { makeRecordingParts } from "../src/sql/recordings/parts.ts"
import { Views } from "../src/sql/recordings/Views.ts"
import { acme, openRecordings, recordingsOn, sample } from "./recordingsStore.ts"

const id = RecordingId.make(1)

test("a recording's row contains none of its parts, and a view does not write it", () =>
  Effect.gen(function* () {
    const { database } = yield* openRecordings()
    const views = new Views(database)
    const recordings = recordingsOn(database, {}, views)
    yield* recordings.save(sample({ id: 1 }))
    const sentences = Array.from({ length: 100 }, (_, n) => ({ text: "x".repeat(100), n }))
    const processed = Array.from(
      { length: 300 },
      (_, n): Segment => ({ startSeconds: n, endSeconds: n, text: "x", sentences })
    )
    yield* makeRecordingParts(database).save(id, { ...noParts, processed, consoleErrors: ["x".repeat(100_000)] })
    const rowOf = database.query<[number, number]>("SELECT length(document), revision FROM recordings")
    const before = yield* rowOf
    expect(before[0]![0]).toBeLessThan(1_500)
    for (let n = 0; n < 20; n++) yield* recordings.countView(id)
    yield* views.flush
    expect(yield* rowOf).toEqual(before)
    expect(yield* database.query("SELECT recording_id, views FROM recording_views")).toEqual([[1, 20]])
  }).pipe(Effect.scoped, Effect.runPromise))

test("a view is counted once, before, during and after the write of its batch", () =>
  Effect.gen(function* () {
    const { database } = yield* openRecordings()
    const views = new Views(database)
    const recordings = recordingsOn(database, {}, views)
    yield* recordings.save(sample({ id: 1 }))
    const seen = Effect.map(
      recordings.page({ accountId: acme }, { offset: 0, limit: 1 }),
      ({ items }) => items[0]!.impressionsCount
    )
    for (let n = 1; n <= 5; n++) {
      yield* recordings.countView(id)
      expect(yield* seen).toBe(n)
      // A reader in the transaction that writes them, and one outside that does not see its rows yet.
      yield* database.transaction(
        Effect.gen(function* () {
          yield* views.flush
          expect(yield* seen).toBe(n)
        })
      )
      expect(yield* seen).toBe(n)
    }
    // Another process sees what was written.
    const other = recordingsOn(database, {}, new Views(database))
    expect((yield* other.byId(id))?.impressionsCount).toBe(5)
  }).pipe(Effect.scoped, Effect.runPromise))

test("views that cannot be written are written with the next batch", () =>
  Effect.gen(function* () {
    const { database } = yield* openRecordings()
    let isBroken = true
    const broken: typeof database = {
      ...database,
      readCommitted: (body) => (isBroken ? Effect.die("the disk is full") : database.readCommitted(body))
    }
    const views = new Views(broken)
    const recordings = recordingsOn(database, {}, views)
    yield* recordings.save(sample({ id: 1 }))
    yield* recordings.countView(id)
    yield* views.flush
    yield* recordings.countView(id)
    expect((yield* recordings.byId(id))?.impressionsCount).toBe(2)
    isBroken = false
    yield* views.flush
    expect((yield* recordings.byId(id))?.impressionsCount).toBe(2)
    expect(yield* database.query("SELECT views FROM recording_views")).toEqual([[2]])
  }).pipe(Effect.scoped, Effect.runPromise))

test("a batch whose commit was not answered is written once", () =>
  Effect.gen(function* () {
    const { database } = yield* openRecordings()
    let isCut = true
    const cut: Database = {
      ...database,
      readCommitted: (body) => {
        if (!isCut) return database.readCommitted(body)
        isCut = false
        return Effect.andThen(database.readCommitted(body), Effect.die(new Error("connection terminated")))
      }
    }
    const views = new Views(cut)
    const recordings = recordingsOn(cut, {}, views)
    yield* recordings.save(sample({ id: 1 }))
    yield* recordings.countView(id)
    yield* views.flush
    expect(isCut).toBe(false)
    yield* recordings.countView(id)
    expect((yield* recordings.byId(id))?.impressionsCount).toBe(2)
    yield* views.flush
    expect((yield* recordings.byId(id))?.impressionsCount).toBe(2)
    expect(yield* database.query("SELECT views FROM recording_views")).toEqual([[2]])
  }).pipe(Effect.scoped, Effect.runPromise))

test("views are counted once by a process whose row another has removed", () =>
  Effect.gen(function* () {
    const { database } = yield* openRecordings()
    const [views, other] = [new Views(database), new Views(database)]
    const recordings = recordingsOn(database, {}, views)
    yield* recordings.save(sample({ id: 1 }))
    const seen = Effect.map(recordings.byId(id), (found) => found?.impressionsCount)
    yield* recordings.countView(id)
    yield* views.flush
    yield* database.write(database.query("UPDATE view_batches SET at = 0"))
    other.count(1)
    yield* other.flush
    expect(yield* database.query("SELECT count(*) FROM view_batches")).toEqual([[1]])
    expect(yield* seen).toBe(2)
    yield* recordings.countView(id)
    expect(yield* seen).toBe(3)
    yield* views.flush
    expect(yield* seen).toBe(3)
  }).pipe(Effect.scoped, Effect.runPromise))
