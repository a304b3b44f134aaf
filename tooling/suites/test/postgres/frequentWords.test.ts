import { AccountId, Instant, RecordingId } from "@tapedeck/domain"
import { parseSearch } from "@tapedeck/domain/internal/recordings"
import { aRecording } from "@tapedeck/testkit/samples"
import { Effect } from "effect"
import { afterAll, expect, test } from "vitest"
import { directory, emptyDatabase, openPostgres, stopPostgres } from "../conformance/postgres.ts"
import { listenIn } from "./statements.ts"

afterAll(stopPostgres)

const total = 60_000
/** The newest recordings, which have no "earlier". */
const newest = 3_000
/** The very newest, which have both "odd" and "even". */
const burst = 30
const rare = [11, 30_000, 59_001]

const acme = AccountId.make(1)

/** Copies of a recording, one a second. All have "everywhere", half of them "odd", the others "even", and three "rare". */
const copies = `INSERT INTO recordings (COLUMNS) SELECT VALUES FROM recordings m, generate_series(2, ${total}) n WHERE m.id = 1`
const wordIf = (condition: string, word: string) => `CASE WHEN ${condition} THEN ' ${word}' ELSE '' END`
const own: Readonly<Record<string, string>> = {
  id: "n",
  uuid: "'00000000-0000-4000-8000-' || lpad(n::text, 12, '0')",
  created_at: "n * 1000",
  search: [
    "m.search",
    wordIf(`n % 2 = 1 OR n > ${total - burst}`, "odd"),
    wordIf(`n % 2 = 0 OR n > ${total - burst}`, "even"),
    wordIf(`n <= ${total - newest}`, "earlier"),
    wordIf(`n IN (${rare.join(", ")})`, "rare")
  ].join(" || "),
  document: `replace(m.document, '"id":1,', '"id":' || n || ',')`
}
/** The list with its blocks, as the store counts them. */
const countList = `DELETE FROM recording_blocks;
  UPDATE recording_lists SET count = ${total};
  INSERT INTO recording_blocks (list_id, from_at, from_id, count)
    SELECT l.id, n * 1000, n, 2000 FROM recording_lists l, generate_series(1, ${total}, 2000) n;
  ANALYZE recordings`

test("PostgreSQL finds frequent words, alone and with rare ones, without reading all of them in its text index", () =>
  Effect.gen(function* () {
    const database = yield* emptyDatabase
    const heard = yield* Effect.acquireRelease(
      Effect.promise(() => listenIn(database.url)),
      ({ close }) => Effect.sync(close)
    )
    const { recordings } = yield* openPostgres(heard.url, yield* directory)
    const first = aRecording(1, { accountId: acme, ownerId: null, title: "Everywhere", createdAt: Instant.make(1_000) })
    yield* recordings.save(first)
    yield* Effect.promise(async () => {
      const columns = await database.query(
        "SELECT column_name AS name FROM information_schema.columns WHERE table_name = 'recordings' ORDER BY ordinal_position"
      )
      const names = columns.map(({ name }) => String(name))
      const values = names.map((name) => own[name] ?? `m.${name}`)
      await database.query(copies.replace("COLUMNS", names.join(", ")).replace("VALUES", values.join(", ")))
      for (const statement of countList.split(";")) await database.query(statement)
    })

    const find = (text: string, more: { readonly since?: Instant; readonly until?: Instant } = {}) =>
      Effect.gen(function* () {
        heard.executed.length = 0
        const search = { accountId: acme, order: "-created_at", ...parseSearch(text), ...more } as const
        const pages = [yield* recordings.search(search, null, 3)]
        const last = pages[0]!.items.at(-1)
        if (last) pages.push(yield* recordings.search(search, { key: last.id * 1_000, id: last.id }, 3))
        const [{ count, isExact }] = pages as [(typeof pages)[number]]
        const readsIndex = heard.executed.some((statement) => statement.includes("found_recordings"))
        return { count, isExact, readsIndex, ids: pages.flatMap(({ items }) => items.map(({ id }) => id)) }
      })
    const downFrom = (id: number, length = 6) => Array.from({ length }, (_, index) => RecordingId.make(id - index))

    const beyond = { count: 10_000, isExact: false }
    expect(yield* find("everywhere")).toEqual({ ...beyond, readsIndex: false, ids: downFrom(total) })
    // The newest do not have it.
    expect(yield* find("earlier")).toEqual({ ...beyond, readsIndex: false, ids: downFrom(total - newest) })
    // Both words are frequent, and the newest have both, but no others.
    const both = { count: burst, isExact: true, ids: downFrom(total) }
    expect(yield* find("odd even")).toMatchObject(both)
    expect(yield* find("odd even", { since: Instant.make(2_000) })).toMatchObject(both)
    expect(yield* find("rare every")).toEqual({ count: 3, isExact: true, readsIndex: true, ids: rare.toReversed() })
    expect(yield* find("odd rare")).toMatchObject({ count: 2, ids: [rare[2], rare[0]] })
    expect(yield* find('rare "everywhere"')).toMatchObject({ count: 3, ids: rare.toReversed() })
    expect(yield* find("everywhere nowhere")).toEqual({ count: 0, isExact: true, readsIndex: true, ids: [] })
    const [since, until] = [Instant.make(20_000_000), Instant.make(20_100_000)]
    expect(yield* find("everywhere", { since, until })).toMatchObject({
      ...{ count: 100, isExact: true },
      ids: downFrom(20_099)
    })
  }).pipe(Effect.scoped, Effect.runPromise))
