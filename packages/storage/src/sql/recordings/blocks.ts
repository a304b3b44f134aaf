import { Effect } from "effect"
import type { Query } from "../Query.ts"
import type { CountedList } from "./lists.ts"
import type { Views } from "./Views.ts"

/** Where in a list, newest first, a recording is (R7). */
export interface Position {
  readonly createdAt: number
  readonly id: number
}

/** How many entries a new block takes before the next one is begun; a block that twice as many have come into is halved. */
export const usualBlockSize = 2_000

/** Blocks are read so many at a time. */
const chunkSize = 128

/** The first block of a list begins before every instant that there is. */
const earliest = -9e15
const latest = 9e15

type Block = readonly [fromAt: number, fromId: number, count: number]

/**
 * The lists of recordings, counted in blocks (docs/adr/0011-counted-blocks.md). A block begins at its `from`, reaches to the
 * next one's, and knows how many entries there are in between; a list's row knows how many there are in all. So no read
 * counts, and none passes over more entries than a block or two have, wherever in the list it is.
 *
 * `add` and `remove` are for use inside a transaction, after the recording's own row was written.
 */
export const countedBlocks = (query: Query, views: Views, blockSize: number) => {
  const add = Effect.fnUntraced(function* (list: CountedList, at: Position) {
    const [row] = yield* query<[number]>(changeList, 1, list.key)
    const [id] = row ?? (yield* query<[number]>(insertList, list.key, list.folderId))[0]!
    const [grown] = yield* query<Block>(changeBlock, 1, id, id, at.createdAt, at.id)
    if (grown === undefined) return yield* query(insertBlock, id, earliest, 0, 1)
    const [fromAt, fromId, count] = grown
    if (count <= blockSize) return
    const newer = yield* query(`${anyOf(list)} AND (created_at, id) > (?, ?) LIMIT 1`, ...list.of, at.createdAt, at.id)
    if (newer.length === 0) {
      yield* query(setCount, count - 1, id, fromAt, fromId)
      yield* query(insertBlock, id, at.createdAt, at.id, 1)
    } else if (count > 2 * blockSize) {
      const older = count >> 1
      const [middle] = yield* query<[number, number]>(
        `${anyOf(list)} AND (created_at, id) >= (?, ?) ${oldestFirst} LIMIT 1 OFFSET ?`,
        ...[...list.of, fromAt, fromId, older]
      )
      yield* query(setCount, older, id, fromAt, fromId)
      yield* query(insertBlock, id, ...middle!, count - older)
    }
  })

  /** What became small joins the block before it; the first block of a list stays, empty or not. */
  const remove = Effect.fnUntraced(function* (list: CountedList, at: Position) {
    const [row] = yield* query<[number]>(changeList, -1, list.key)
    const [id] = row!
    const [shrunk] = yield* query<Block>(changeBlock, -1, id, id, at.createdAt, at.id)
    const [fromAt, fromId, count] = shrunk!
    if (count > blockSize / 4 || fromAt === earliest) return
    const [before] = yield* query<Block>(
      `${blocks} AND (from_at, from_id) < (?, ?) ${descending} LIMIT 1`,
      id,
      fromAt,
      fromId
    )
    if (before![2] + count > blockSize) return
    yield* query("DELETE FROM recording_blocks WHERE list_id = ? AND from_at = ? AND from_id = ?", id, fromAt, fromId)
    yield* query(setCount, before![2] + count, id, before![0], before![1])
  })

  /** The block that has the entry before which there are `passed`, counted from the list's newer or its older end. */
  const find = Effect.fnUntraced(function* (listId: number, end: "newer" | "older", passed: number) {
    const next =
      end === "newer"
        ? `${blocks} AND (from_at, from_id) < (?, ?) ${descending} LIMIT ${chunkSize}`
        : `${blocks} AND (from_at, from_id) > (?, ?) ORDER BY from_at, from_id LIMIT ${chunkSize}`
    let last: readonly [number, number] = end === "newer" ? [latest, 0] : [-latest, -1]
    let before = 0
    for (;;) {
      const chunk = yield* query<Block>(next, listId, ...last)
      for (const [fromAt, fromId, count] of chunk) {
        if (before + count > passed) return { from: [fromAt, fromId] as const, before, count }
        before += count
        last = [fromAt, fromId]
      }
      if (chunk.length < chunkSize) return undefined
    }
  })

  /** Far from both ends: the block of the oldest entry is looked for from the nearer end, and read from there, oldest first. */
  const between = Effect.fnUntraced(function* (
    list: CountedList,
    listId: number,
    { offset, older, wanted }: Readonly<Record<"offset" | "older" | "wanted", number>>
  ) {
    const end = older < offset ? "older" : "newer"
    const found = yield* find(listId, end, end === "older" ? older : offset + wanted - 1)
    if (found === undefined) return []
    const skipped = end === "older" ? older - found.before : found.before + found.count - offset - wanted
    return yield* views.entries(
      `${entriesOf(list)} AND (created_at, id) >= (?, ?) ${oldestFirst} LIMIT ? OFFSET ?`,
      ...[...list.of, ...found.from, wanted, skipped]
    )
  })

  /** `limit` entries after `offset`, newest first, and how many there are in all. */
  const part = Effect.fnUntraced(function* (list: CountedList, offset: number, limit: number) {
    const [row] = yield* query<[number, number]>("SELECT id, count FROM recording_lists WHERE key = ?", list.key)
    if (row === undefined) return { count: 0, entries: [] }
    const [listId, count] = row
    const wanted = Math.min(limit, count - offset)
    if (wanted <= 0) return { count, entries: [] }
    const older = count - offset - wanted
    const entries =
      offset <= blockSize
        ? yield* views.entries(`${entriesOf(list)} ${newestFirst} LIMIT ? OFFSET ?`, ...list.of, wanted, offset)
        : older <= blockSize
          ? yield* views.entries(`${entriesOf(list)} ${oldestFirst} LIMIT ? OFFSET ?`, ...list.of, wanted, older)
          : yield* between(list, listId, { offset, wanted, older })
    return { count, entries: offset <= blockSize ? entries : entries.toReversed() }
  })

  return { add, remove, part }
}

const anyOf = ({ where }: CountedList) => `SELECT created_at, id FROM recordings WHERE ${where}`
const entriesOf = ({ where }: CountedList) => `SELECT id, revision FROM recordings WHERE ${where}`
const newestFirst = "ORDER BY created_at DESC, id DESC"
const oldestFirst = "ORDER BY created_at, id"

const changeList = "UPDATE recording_lists SET count = count + ? WHERE key = ? RETURNING id"
const insertList = `INSERT INTO recording_lists (key, folder_id, count) VALUES (?, ?, 1)
  ON CONFLICT (key) DO UPDATE SET count = recording_lists.count + 1 RETURNING id`

const blocks = "SELECT from_at, from_id, count FROM recording_blocks WHERE list_id = ?"
const descending = "ORDER BY from_at DESC, from_id DESC"

/** The block that a position is in. */
const changeBlock = `UPDATE recording_blocks SET count = count + ?
  WHERE list_id = ? AND (from_at, from_id) = (
    SELECT from_at, from_id FROM recording_blocks
    WHERE list_id = ? AND (from_at, from_id) <= (?, ?) ${descending} LIMIT 1)
  RETURNING from_at, from_id, count`

const setCount = "UPDATE recording_blocks SET count = ? WHERE list_id = ? AND from_at = ? AND from_id = ?"
const insertBlock = "INSERT INTO recording_blocks (list_id, from_at, from_id, count) VALUES (?, ?, ?, ?)"
