import { FolderId, UserId } from "@tapedeck/domain"
import { Effect, type Scope } from "effect"
import { describe, expect, it } from "vitest"
import type { Database } from "../src/sql/database/Database.ts"
import { acme, openRecordings, recordingsOn, sample } from "./recordingsStore.ts"

/** Small blocks, so that few recordings make many of them. */
const blockSize = 100
const small = 1_000
const large = 10_000

interface Ran {
  readonly text: string
  readonly parameters: ReadonlyArray<string | number | null>
  readonly rows: number
}

/** The database, and what is run on it by way of `query`. */
const listening = (database: Database): { readonly database: Database; readonly ran: Array<Ran> } => {
  const ran: Array<Ran> = []
  const query: Database["query"] = (text, ...parameters) =>
    Effect.tap(database.query(text, ...parameters), (rows) =>
      Effect.sync(() => void ran.push({ text, parameters, rows: rows.length }))
    ) as never
  return { ran, database: { ...database, query } }
}

const filled = Effect.fnUntraced(function* (count: number) {
  const { database } = yield* openRecordings()
  const heard = listening(database)
  const recordings = recordingsOn(heard.database, { blockSize })
  yield* database.transaction(
    Effect.gen(function* () {
      for (let id = 1; id <= count; id++) {
        // Every tenth comes late, so that blocks in the middle are split too.
        const createdAt = id % 10 === 0 ? id * 500 : id * 1_000
        const ticket = id % 100 === 0 ? "much used" : `${id}`
        const folder = id % 2 === 0 ? "vip" : null
        yield* recordings.save(sample({ id, createdAt, owner: 11 + (id % 3), folder, ticket }))
      }
    })
  )
  heard.ran.length = 0
  return { ...heard, recordings, count }
})

type Filled = Effect.Success<ReturnType<typeof filled>>

const limit = 25
const reads: Readonly<Record<string, (store: Filled) => Effect.Effect<unknown>>> = {
  "page 1": ({ recordings }) => recordings.page({ accountId: acme }, { offset: 0, limit }),
  "a page near the front": ({ recordings }) => recordings.page({ accountId: acme }, { offset: 75, limit }),
  "a member's page 1": ({ recordings }) =>
    recordings.page({ accountId: acme, ownerId: UserId.make(11) }, { offset: 0, limit }),
  "the middle page": ({ count, recordings }) => recordings.page({ accountId: acme }, { offset: count / 2, limit }),
  "a member's middle page": ({ count, recordings }) =>
    recordings.page({ accountId: acme, ownerId: UserId.make(11) }, { offset: Math.floor(count / 6), limit }),
  "the last page": ({ count, recordings }) => recordings.page({ accountId: acme }, { offset: count - limit, limit }),
  "a page past the end": ({ count, recordings }) => recordings.page({ accountId: acme }, { offset: count, limit }),
  "a folder's middle page": ({ count, recordings }) =>
    recordings.page({ accountId: acme, folderId: FolderId.make("vip") }, { offset: count / 4, limit }),
  "a member's middle page of a folder": ({ count, recordings }) =>
    recordings.page(
      { accountId: acme, folderId: FolderId.make("vip"), ownerId: UserId.make(11) },
      { offset: Math.floor(count / 12), limit }
    ),
  "a ticket search": ({ recordings }) =>
    recordings.page({ accountId: acme, ticket: { ticketId: "51", platform: "zendesk" } }, { offset: 0, limit }),
  "a member's ticket search": ({ recordings }) =>
    recordings.page({ accountId: acme, ownerId: UserId.make(11), ticket: { ticketId: "51" } }, { offset: 0, limit }),
  "a recording by its UUID": ({ recordings }) => recordings.byUuid(sample({ id: 7 }).uuid)
}

/** Rows that came out, and rows that were passed over on the way to them. */
const rowsVisited = (ran: ReadonlyArray<Ran>): number =>
  ran.reduce((sum, { parameters, rows, text }) => {
    const passed = text.trimEnd().endsWith("OFFSET ?") ? Number(parameters.at(-1)) : 0
    return sum + rows + passed
  }, 0)

const run = <A, E>(effect: Effect.Effect<A, E, Scope.Scope>): Promise<A> => Effect.runPromise(Effect.scoped(effect))

describe("the pages that a read of recordings visits", () => {
  it("do not increase with the number of recordings, except for skipped blocks", () =>
    run(
      Effect.gen(function* () {
        const [few, many] = [yield* filled(small), yield* filled(large)]
        for (const [name, read] of Object.entries(reads)) {
          const visited = []
          for (const store of [few, many]) {
            store.ran.length = 0
            yield* read(store)
            visited.push(rowsVisited(store.ran))
          }
          const [before, after] = visited as [number, number]
          const isFar = name.includes("middle")
          // A page in the middle passes over at most two blocks' entries, and reads half of the blocks' counts.
          const allowed = isFar ? 2 * blockSize + large / blockSize : 0
          expect(after - before, `${name}: ${before} rows of ${small}, ${after} of ${large}`).toBeLessThanOrEqual(
            allowed
          )
        }
      })
    ))

  it("are found by an index in its order: nothing is scanned, sorted or counted", () =>
    run(
      Effect.gen(function* () {
        const store = yield* filled(small)
        for (const read of Object.values(reads)) yield* read(store)
        const statements = new Map(store.ran.map((one) => [one.text, one]))
        expect(statements.size).toBeGreaterThan(8)
        for (const { parameters, text } of statements.values()) {
          const plan = yield* store.database.query<readonly [number, number, number, string]>(
            `EXPLAIN QUERY PLAN ${text}`,
            ...parameters
          )
          for (const [, , , step] of plan) {
            expect(step, text).toMatch(
              // What scans the page looks its recordings' views up.
              /^(SEARCH \w+ USING (COVERING )?INDEX|SEARCH \w+ USING (INTEGER )?PRIMARY KEY|MERGE|LEFT|RIGHT|CO-ROUTINE page|SCAN page|(CORRELATED )?SCALAR SUBQUERY)/
            )
          }
          // The entries of a list come from its index alone.
          if (text.includes("SELECT id, revision FROM recordings WHERE account_id")) {
            expect(plan.map(([, , , step]) => step).join("\n")).toContain("COVERING")
          }
          expect(text).not.toContain("count(*)")
        }
      })
    ))
})
