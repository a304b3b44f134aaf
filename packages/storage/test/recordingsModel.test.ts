import { FolderId, type Recording, UserId } from "@tapedeck/domain"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import type { Database } from "../src/sql/database/Database.ts"
import { acme, openRecordings, sample } from "./recordingsStore.ts"

/** Numbers in 0…below-1 that are the same for the same seed (mulberry32). */
const random = (seed: number) => {
  let state = seed
  return (below: number) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return (((mixed ^ (mixed >>> 14)) >>> 0) % below) as number
  }
}

const folders = ["vip", "later"] as const

/** Every block holds as many entries as it says, and the list as many as its blocks. Gives how many blocks there are. */
const expectCountsToHold = Effect.fnUntraced(function* ({ sql }: Pick<Database, "sql">) {
  const wrong = yield* sql`
    SELECT l.key, l.count, sum(b.count) AS in_blocks FROM recording_lists l LEFT JOIN recording_blocks b ON b.list_id = l.id
    GROUP BY l.id HAVING l.count <> coalesce(sum(b.count), 0)`
  expect(wrong).toEqual([])
  const blocks = yield* sql<{ from_at: number; from_id: number; count: number }>`
    SELECT b.from_at, b.from_id, b.count FROM recording_blocks b JOIN recording_lists l ON l.id = b.list_id
    WHERE l.key = 'account:1' ORDER BY b.from_at, b.from_id`
  const held = yield* sql<{ created_at: number; id: number }>`
    SELECT created_at, id FROM recordings WHERE account_id = 1`
  const heldBy = (index: number) => {
    const isFrom = (block: (typeof blocks)[number] | undefined, one: (typeof held)[number]) =>
      block !== undefined &&
      (one.created_at > block.from_at || (one.created_at === block.from_at && one.id >= block.from_id))
    return held.filter((one) => isFrom(blocks[index], one) && !isFrom(blocks[index + 1], one)).length
  }
  expect(blocks.map(({ count }) => count)).toEqual(blocks.map((_, index) => heldBy(index)))
  return blocks.length
})

/** Oldest first. */
const inOrder = (recordings: ReadonlyArray<Recording>) =>
  recordings.toSorted((a, b) => a.createdAt - b.createdAt || a.id - b.id)

const history = (seed: number, steps: number, blockSize: number) =>
  Effect.gen(function* () {
    const { database, recordings } = yield* openRecordings({ blockSize })
    const pick = random(seed)
    const model = new Map<number, Recording>()
    let added = 0
    const anyOwner = () => [null, 11, 12][pick(3)]!
    const anyFolder = () => [null, null, ...folders][pick(4)]!

    const step = Effect.fnUntraced(function* () {
      // Rather more come than go, at ends and in the middle, many of them in the same millisecond.
      const dice = pick(100)
      const known = [...model.keys()]
      if (dice < 70 || known.length === 0) {
        const id = 1 + pick(2_000)
        const createdAt = [pick(20), 100 + model.size, -1 - model.size, pick(1_000)][pick(4)]!
        const one = sample({
          id,
          createdAt,
          owner: anyOwner(),
          folder: anyFolder(),
          account: 1 + (pick(20) === 0 ? 1 : 0),
          title: `${dice}`
        })
        yield* recordings.save(one)
        model.set(id, one)
      } else if (dice < 85) {
        const id = known[pick(known.length)]!
        const moved = { ...model.get(id)!, createdAt: sample({ id, createdAt: pick(300) }).createdAt, title: `${dice}` }
        yield* recordings.save(moved)
        model.set(id, moved)
      } else if (dice < 87) {
        // More than fill blocks, at one end, in the middle or everywhere.
        const ids = Array.from({ length: 1 + pick(40) }, (_, index) => 3_000 + added + index)
        added += ids.length
        const from = [100 + model.size, pick(300), -1 - model.size][pick(3)]!
        const all = ids.map((id) =>
          sample({ id, createdAt: from + pick(3) * pick(40), owner: anyOwner(), folder: anyFolder(), title: `${dice}` })
        )
        yield* recordings.add(all)
        for (const one of all) model.set(one.id, one)
      } else if (dice < 98) {
        const from = pick(known.length)
        // A row of neighbours, so that blocks run empty.
        for (const id of known.slice(from, from + (dice > 95 ? 12 : 1))) {
          yield* recordings.remove(model.get(id)!.uuid)
          model.delete(id)
        }
      } else {
        const folder = FolderId.make(folders[pick(2)]!)
        const inside = inOrder([...model.values()].filter((one) => one.accountId === acme && one.folderId === folder))
        const limit = 1 + pick(20)
        const leaving = inside.slice(0, limit)
        const { left } = yield* recordings.leaveFolder({ accountId: acme, id: folder }, { after: null, limit })
        expect(left).toBe(leaving.length)
        for (const one of leaving) model.set(one.id, { ...one, folderId: null })
      }
    })

    const compare = Effect.fnUntraced(function* () {
      const owner = [undefined, 11, 12][pick(3)]
      const folder = [undefined, ...folders][pick(3)]
      const expected = [...model.values()]
        .filter(
          (one) =>
            one.accountId === acme &&
            (owner === undefined || one.ownerId === owner) &&
            (folder === undefined || one.folderId === folder)
        )
        .sort((a, b) => b.createdAt - a.createdAt || b.id - a.id)
      const filter = {
        accountId: acme,
        ...(owner !== undefined && { ownerId: UserId.make(owner) }),
        ...(folder !== undefined && { folderId: FolderId.make(folder) })
      }
      const limit = 1 + pick(12)
      const offset = pick(expected.length + 3)
      const part = yield* recordings.page(filter, { offset, limit })
      const shown = (items: ReadonlyArray<Recording>) => items.map(({ id, title }) => `${id} ${title}`)
      expect([part.count, ...shown(part.items)]).toEqual([
        expected.length,
        ...shown(expected.slice(offset, offset + limit))
      ])
      expect(part.items).toEqual(expected.slice(offset, offset + limit))
    })

    const inTransaction = Effect.fnUntraced(function* () {
      for (let left = pick(6); left >= 0; left--) {
        yield* step()
        if (pick(3) === 0) yield* compare()
      }
    })

    let most = 0
    for (let done = 0; done < steps; done++) {
      const before = new Map(model)
      const isKept = pick(4) !== 0
      yield* database
        .transaction(Effect.andThen(inTransaction(), isKept ? Effect.void : Effect.fail("taken back")))
        .pipe(Effect.ignore)
      if (!isKept) {
        model.clear()
        for (const [id, one] of before) model.set(id, one)
      }
      yield* compare()
      if (done % 20 === 0) most = Math.max(most, yield* expectCountsToHold(database))
    }
    // The trial went through splits and joins, or it would show nothing.
    expect(most).toBeGreaterThan(10)
  }).pipe(Effect.scoped, Effect.runPromise)

describe("recordings in counted blocks and a naive model", () => {
  it.each([1, 2, 3, 4])("give the same results for random operations and rollbacks (seed %i)", (seed) =>
    history(seed, 250, 8)
  )
})
