import { DatabaseSync } from "node:sqlite"
import { Ids, type Store } from "@tapedeck/core"
import type { Instant } from "@tapedeck/domain"
import { Cause, Effect, Exit, Logger, Scope } from "effect"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { RowUnreadable } from "../src/sql/database/errors.ts"
import { inspectDeliveries } from "../src/sqlite/index.ts"
import { vault } from "./content.ts"
import { databaseIn, openStore, temporaryDirectory } from "./openStore.ts"
import { acme, ada, aMail } from "./samples.ts"
import { all, columnKinds, hidden, type Kind, kinds, sealedKinds, wholeId, writeAll } from "./storedDocuments.ts"

/** The defect of an effect, and all that a log would show of it. */
const defectOf = (exit: Exit.Exit<unknown, unknown>) =>
  Exit.isSuccess(exit)
    ? { defect: undefined, shown: "" }
    : { defect: Cause.squash(exit.cause), shown: Cause.pretty(exit.cause) }

describe("a row whose document is not one of its table", () => {
  const scope = Effect.runSync(Scope.make())
  let store: Store
  let file: string
  let database: DatabaseSync

  beforeAll(() =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      store = yield* openStore(directory, vault)
      yield* writeAll(store)
      file = databaseIn(directory)
      database = new DatabaseSync(file, { timeout: 5_000 })
    }).pipe(Scope.provide(scope), Effect.provide(Ids.layerRandom), Effect.runPromise)
  )

  afterAll(() => {
    database.close()
    return Effect.runPromise(Scope.close(scope, Exit.void))
  })

  /** What is read while a column of the row has another value. */
  const readBroken = async (
    table: string,
    { column = "document", key, read, row = `id = '${key}'` }: Omit<Kind, "path" | "problem">,
    broken: string
  ) => {
    const before = database.prepare(`SELECT ${column} AS text FROM ${table} WHERE ${row}`).get()!.text ?? null
    const write = database.prepare(`UPDATE ${table} SET ${column} = ? WHERE ${row}`)
    expect(write.run(broken).changes).toBe(1)
    const exit = await Effect.runPromise(Effect.exit(read(store)))
    // Other rows can be read meanwhile.
    expect(await Effect.runPromise(store.passwords.ofUser(ada.id))).toBeDefined()
    write.run(before)
    return defectOf(exit)
  }

  const withValue = (table: string, { column = "document", key, path, row = `id = '${key}'` }: Kind): string => {
    const select = `SELECT json_replace(${column}, ?, json_object('value', ?)) AS text FROM ${table} WHERE ${row}`
    return String(database.prepare(select).get(path, hidden)!.text)
  }

  test.each(kinds)("of %s (%o) is a defect that names table, key and path", async (table, kind) => {
    const { defect, shown } = await readBroken(table, kind, withValue(table, kind))
    expect(defect).toBeInstanceOf(RowUnreadable)
    const { key, problem, table: named } = defect as RowUnreadable
    expect([named, String(key)]).toEqual([table, kind.key])
    expect(problem).toMatch(kind.problem)
    expect(shown).not.toContain(hidden)
  })

  test.each(kinds)("of %s (%o) and is no JSON, is a defect that does not quote it", async (table, kind) => {
    const { defect, shown } = await readBroken(table, kind, hidden)
    expect(defect).toBeInstanceOf(RowUnreadable)
    expect(shown).toContain(`The row ${kind.key} of ${table} cannot be read: is not JSON`)
    expect(shown).not.toContain(hidden)
  })

  test.each(columnKinds)("of %s (%o), in a column, is a defect that names the column's field", async (table, kind) => {
    const { defect, shown } = await readBroken(table, kind, hidden)
    expect(defect).toMatchObject({ _tag: "RowUnreadable", table, key: kind.key })
    expect((defect as RowUnreadable).problem).toMatch(kind.problem)
    expect(shown).not.toContain(hidden)
  })

  test.each(sealedKinds)("that is sealed in %s is a defect without its value", async (table, kind) => {
    const sealed = await Effect.runPromise(Effect.provide(vault.seal(kind.broken), Ids.layerRandom))
    const { defect, shown } = await readBroken(table, { ...kind, column: "sealed" }, sealed)
    expect(defect).toMatchObject({ _tag: "RowUnreadable", table, key: kind.key })
    expect(shown).toMatch(kind.problem)
    expect(shown).not.toContain(hidden)
  })

  test.each([
    ["a delivery", "delivery_documents", "sequence = 4", "scheduled"],
    ["its state", "delivery_queue", "sequence = 4", "scheduled"],
    ["its held result", "delivery_queue", "sequence = 5", "held"],
    ["its receiver", "destinations", "id = 'destination'", "to a destination"]
  ])("of %s is left out by a claim, which returns the others", async (_, table, row, left) => {
    const claimed: Array<string> = []
    const claim: Kind["read"] = ({ deliveries }) =>
      Effect.map(deliveries.claim({ limit: 9, leaseMs: 0 }), (claims) =>
        claimed.push(...claims.map(({ delivery }) => delivery.id))
      )
    const column = table !== "delivery_queue" ? "document" : left === "held" ? "held" : "state"
    await readBroken(table, { key: "4", column, row, read: claim }, "{}")
    const all = ["in flight", "tried", "scheduled", "held", "to a destination"]
    expect(claimed.toSorted()).toEqual(all.filter((id) => id !== left).toSorted())
  })

  /** What is done to the store, and what it logs. */
  const logged = <A, E>(body: Effect.Effect<A, E>, log: Array<unknown>) =>
    Effect.provide(body, Logger.layer([Logger.make(({ message }) => void log.push(message))]))

  test.each([
    ["list", (store: Store) => store.recordings.page({ accountId: acme.id }, all)],
    ["search", (store: Store) => store.recordings.search({ accountId: acme.id, order: "-created_at" }, null, 9)]
  ] as const)("of a recording is left out by a %s, which has the others, and logged", async (_, list) => {
    const log: Array<unknown> = []
    let uuids: ReadonlyArray<number> = []
    const read = (store: Store) =>
      logged(
        Effect.map(list(store), ({ items }) => (uuids = items.map(({ id }) => id))),
        log
      )
    await readBroken("recordings", { key: "1", read }, "{}")
    expect(uuids).toEqual([wholeId])
    const fault = expect.objectContaining({ _tag: "RowUnreadable", key: 1 })
    expect(log).toEqual([["A recording could not be listed", fault]])
  })

  test("of a job is left out by a claim, which returns the others, and logged", async () => {
    const log: Array<unknown> = []
    let claimed: ReadonlyArray<string> = []
    const read = ({ jobs }: Store) =>
      logged(
        Effect.map(
          jobs.claim({ slots: { mail: 9 }, leaseMs: 1 }),
          (claims) => (claimed = claims.map(({ job }) => job.id))
        ),
        log
      )
    await readBroken("jobs", { key: aMail("one").id, row: `id = '${aMail("one").id}'`, column: "document", read }, "{}")
    expect(claimed).toEqual([aMail("another").id])
    const fault = expect.objectContaining({ _tag: "RowUnreadable", key: aMail("one").id })
    expect(log).toEqual([["A job could not be claimed", fault]])
  })

  test("of a delivery is left by pruning, which removes the others, and logged", async () => {
    const log: Array<unknown> = []
    let removed = 0
    const createdBefore = Number.MAX_SAFE_INTEGER as Instant
    const prune = ({ deliveries, transaction }: Store) =>
      transaction(
        Effect.flatMap(deliveries.prune({ createdBefore, limit: 100, after: null }), (pruned) => {
          removed = pruned.removed
          // The other tests need them.
          return Effect.die("rolled back")
        })
      )
    await readBroken(
      "delivery_documents",
      { key: "2", row: "sequence = 2", read: (store) => logged(prune(store), log) },
      "{}"
    )
    expect(removed).toBeGreaterThan(0)
    expect(log).toEqual([
      ["A delivery could not be pruned", expect.objectContaining({ _tag: "RowUnreadable", key: 2 })]
    ])
  })

  test("is reported by the inspection of deliveries, which inspects the others", async () => {
    let faults: ReadonlyArray<string> = []
    const inspected = () => Effect.sync(() => (faults = inspectDeliveries(file).faults))
    await readBroken("delivery_documents", { key: "1", row: "sequence = 1", read: inspected }, "{}")
    expect(faults).toEqual(["delivery delivered: The row 1 of delivery_documents cannot be read: id: Missing key"])
  })
})
