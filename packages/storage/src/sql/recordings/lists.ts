import type { RecordingFilter } from "@tapedeck/core"
import type { AccountId, FolderId, Recording, UserId } from "@tapedeck/domain"
import { Effect } from "effect"
import type { Query } from "../database/statements.ts"
import type { Views } from "./Views.ts"

/** A counted list of recordings: an account's, an owner's, a folder's, an owner's within a folder. */
interface CountedList {
  /** A folder's id may contain any character: it comes last. */
  readonly key: string
  readonly folderId: FolderId | null
  /** Condition of the list. An index begins with exactly these columns, then has the order. */
  readonly where: string
  readonly parameters: ReadonlyArray<number | string>
}

/** The columns that determine which lists a recording is on. */
export type Listing = Pick<Recording, "accountId" | "ownerId" | "folderId">

const ofAccount = (accountId: AccountId): CountedList => ({
  key: `account:${accountId}`,
  folderId: null,
  where: "account_id = ?",
  parameters: [accountId]
})

const ofOwner = (accountId: AccountId, ownerId: UserId): CountedList => ({
  key: `owner:${accountId}:${ownerId}`,
  folderId: null,
  where: "account_id = ? AND owner_id = ?",
  parameters: [accountId, ownerId]
})

const inFolder = (accountId: AccountId, folderId: FolderId): CountedList => ({
  key: `folder:${accountId}:${folderId}`,
  folderId,
  where: "folder_id = ? AND account_id = ?",
  parameters: [folderId, accountId]
})

const inFolderOfOwner = (accountId: AccountId, folderId: FolderId, ownerId: UserId): CountedList => ({
  key: `folder_owner:${accountId}:${ownerId}:${folderId}`,
  folderId,
  where: "folder_id = ? AND account_id = ? AND owner_id = ?",
  parameters: [folderId, accountId, ownerId]
})

/** All lists of a recording. */
export const listsOf = ({ accountId, folderId, ownerId }: Listing): ReadonlyArray<CountedList> => {
  const lists = [ofAccount(accountId)]
  if (ownerId !== null) lists.push(ofOwner(accountId, ownerId))
  if (folderId !== null) lists.push(inFolder(accountId, folderId))
  if (folderId !== null && ownerId !== null) lists.push(inFolderOfOwner(accountId, folderId, ownerId))
  return lists
}

/** The list of exactly those recordings that pass a filter without a ticket. */
export const listFor = ({ accountId, folderId, ownerId }: Omit<RecordingFilter, "ticket">): CountedList =>
  folderId === undefined
    ? ownerId === undefined
      ? ofAccount(accountId)
      : ofOwner(accountId, ownerId)
    : ownerId === undefined
      ? inFolder(accountId, folderId)
      : inFolderOfOwner(accountId, folderId, ownerId)

/** The order of lists, which is newest first (R7). */
export interface Position {
  readonly createdAt: number
  readonly id: number
}

/** A new block begins when the last one has this many entries. A block of twice as many is split. */
export const defaultBlockSize = 2_000

/** Number of blocks that are read at a time. */
const chunkSize = 128

/** The first block of a list begins before every instant. */
const earliest = -9e15
const latest = 9e15

type Block = readonly [fromAt: number, fromId: number, count: number]

/**
 * The lists of recordings, counted in blocks (docs/adr/0011-counted-blocks.md). A block begins at its `from` and ends at the next
 * block's; it has the number of entries in between, and a list's row has the total. So no read counts, and none skips more entries
 * than two blocks have, anywhere in the list.
 *
 * Call `add` and `remove` inside a transaction, after the recording's own row was written.
 */
export const countedLists = (query: Query, views: Views, blockSize: number) => {
  const add = Effect.fnUntraced(function* (list: CountedList, at: Position) {
    const [row] = yield* query<[number]>(changeList, 1, list.key)
    const [id] = row ?? (yield* query<[number]>(insertList, list.key, list.folderId, 1))[0]!
    const [grown] = yield* query<Block>(changeBlock, 1, id, id, at.createdAt, at.id)
    if (grown === undefined) return yield* query(insertBlock, id, earliest, 0, 1)
    const [fromAt, fromId, count] = grown
    if (count <= blockSize) return
    const newer = yield* query(
      `${anyOf(list)} AND (created_at, id) > (?, ?) LIMIT 1`,
      ...list.parameters,
      at.createdAt,
      at.id
    )
    if (newer.length === 0) {
      yield* query(setCount, count - 1, id, fromAt, fromId)
      yield* query(insertBlock, id, at.createdAt, at.id, 1)
    } else if (count > 2 * blockSize) {
      const older = count >> 1
      const [middle] = yield* query<[number, number]>(
        `${anyOf(list)} AND (created_at, id) >= (?, ?) ${oldestFirst} LIMIT 1 OFFSET ?`,
        ...[...list.parameters, fromAt, fromId, older]
      )
      yield* query(setCount, older, id, fromAt, fromId)
      yield* query(insertBlock, id, ...middle!, count - older)
    }
  })

  /** The blocks of entries that are in the lists' order reversed, oldest first, with the number of the entries that each has. */
  const blocksOf = Effect.fnUntraced(function* (id: number, entries: ReadonlyArray<Position>) {
    const [oldest, newest] = [entries[0]!, entries.at(-1)!]
    const found = yield* query<Block>(blocksBetween, id, id, oldest.createdAt, oldest.id, newest.createdAt, newest.id)
    const [first = [earliest, 0, 0] as Block, ...others] = found
    const counted = [first, ...others].map((block) => ({ block, entries: 0 }))
    let at = 0
    for (const entry of entries) {
      while (at + 1 < counted.length && !isBefore(entry, counted[at + 1]!.block)) at += 1
      counted[at]!.entries += 1
    }
    return counted
  })

  /** Saves a block, in parts of `blockSize` if it has more than twice as many entries. */
  const saveParts = Effect.fnUntraced(function* (list: CountedList, id: number, [fromAt, fromId, count]: Block) {
    let [from, left]: [readonly [number, number], number] = [[fromAt, fromId], count]
    while (count > 2 * blockSize && left > blockSize) {
      yield* query(saveBlock, id, ...from, blockSize)
      const [next] = yield* query<[number, number]>(
        `${anyOf(list)} AND (created_at, id) >= (?, ?) ${oldestFirst} LIMIT 1 OFFSET ?`,
        ...[...list.parameters, ...from, blockSize]
      )
      from = next!
      left -= blockSize
    }
    yield* query(saveBlock, id, ...from, left)
  })

  /** Does the same as `add` with each entry, with one change of the list and of each block. */
  const addAll = Effect.fnUntraced(function* (list: CountedList, entries: ReadonlyArray<Position>) {
    const [row] = yield* query<[number]>(changeList, entries.length, list.key)
    const [id] = row ?? (yield* query<[number]>(insertList, list.key, list.folderId, entries.length))[0]!
    for (const { block, entries: added } of yield* blocksOf(id, oldestOf(entries))) {
      if (added > 0) yield* saveParts(list, id, [block[0], block[1], block[2] + added])
    }
  })

  /**
   * Does the same as `remove` with each entry, with one change of the list and of each block. Empty blocks are removed, and none is
   * merged.
   */
  const removeAll = Effect.fnUntraced(function* (list: CountedList, entries: ReadonlyArray<Position>) {
    const [row] = yield* query<[number]>(changeList, -entries.length, list.key)
    const [id] = row!
    for (const { block, entries: removed } of yield* blocksOf(id, oldestOf(entries))) {
      const [fromAt, fromId, count] = block
      if (removed === 0) continue
      yield* removed === count && fromAt !== earliest
        ? query(removeBlock, id, fromAt, fromId)
        : query(setCount, count - removed, id, fromAt, fromId)
    }
  })

  /** Merges a block that became small into the block before it. The first block of a list stays, even empty. */
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
    yield* query(removeBlock, id, fromAt, fromId)
    yield* query(setCount, before![2] + count, id, before![0], before![1])
  })

  /** The block of the entry after the first `skipped`, counted from the list's newer or its older end. */
  const find = Effect.fnUntraced(function* (listId: number, end: "newer" | "older", skipped: number) {
    const next =
      end === "newer"
        ? `${blocks} AND (from_at, from_id) < (?, ?) ${descending} LIMIT ${chunkSize}`
        : `${blocks} AND (from_at, from_id) > (?, ?) ORDER BY from_at, from_id LIMIT ${chunkSize}`
    let last: readonly [number, number] = end === "newer" ? [latest, 0] : [-latest, -1]
    let before = 0
    for (;;) {
      const chunk = yield* query<Block>(next, listId, ...last)
      for (const [fromAt, fromId, count] of chunk) {
        if (before + count > skipped) return { from: [fromAt, fromId] as const, before, count }
        before += count
        last = [fromAt, fromId]
      }
      if (chunk.length < chunkSize) return undefined
    }
  })

  /**
   * Reads a slice that is far from both ends: finds the block of the oldest entry from the nearer end, and reads from there, oldest
   * first.
   */
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
      ...[...list.parameters, ...found.from, wanted, skipped]
    )
  })

  /** `limit` entries after `offset`, newest first, and the total. */
  const part = Effect.fnUntraced(function* (list: CountedList, offset: number, limit: number) {
    const [row] = yield* query<[number, number]>("SELECT id, count FROM recording_lists WHERE key = ?", list.key)
    if (row === undefined) return { count: 0, entries: [] }
    const [listId, count] = row
    const wanted = Math.min(limit, count - offset)
    if (wanted <= 0) return { count, entries: [] }
    const older = count - offset - wanted
    const entries =
      offset <= blockSize
        ? yield* views.entries(`${entriesOf(list)} ${newestFirst} LIMIT ? OFFSET ?`, ...list.parameters, wanted, offset)
        : older <= blockSize
          ? yield* views.entries(
              `${entriesOf(list)} ${oldestFirst} LIMIT ? OFFSET ?`,
              ...list.parameters,
              wanted,
              older
            )
          : yield* between(list, listId, { offset, wanted, older })
    return { count, entries: offset <= blockSize ? entries : entries.toReversed() }
  })

  return { add, addAll, remove, removeAll, part }
}

const oldestOf = (entries: ReadonlyArray<Position>) =>
  entries.toSorted((a, b) => a.createdAt - b.createdAt || a.id - b.id)

const isBefore = ({ createdAt, id }: Position, [fromAt, fromId]: Block) =>
  createdAt < fromAt || (createdAt === fromAt && id < fromId)

const anyOf = ({ where }: CountedList) => `SELECT created_at, id FROM recordings WHERE ${where}`
const entriesOf = ({ where }: CountedList) => `SELECT id, revision FROM recordings WHERE ${where}`
const newestFirst = "ORDER BY created_at DESC, id DESC"
const oldestFirst = "ORDER BY created_at, id"

const changeList = "UPDATE recording_lists SET count = count + ? WHERE key = ? RETURNING id"
const insertList = `INSERT INTO recording_lists (key, folder_id, count) VALUES (?, ?, ?)
  ON CONFLICT (key) DO UPDATE SET count = recording_lists.count + excluded.count RETURNING id`

const blocks = "SELECT from_at, from_id, count FROM recording_blocks WHERE list_id = ?"
const descending = "ORDER BY from_at DESC, from_id DESC"

/** Changes the block of a position. */
const changeBlock = `UPDATE recording_blocks SET count = count + ?
  WHERE list_id = ? AND (from_at, from_id) = (
    SELECT from_at, from_id FROM recording_blocks
    WHERE list_id = ? AND (from_at, from_id) <= (?, ?) ${descending} LIMIT 1)
  RETURNING from_at, from_id, count`

/** The blocks from the one of a position up to that of a later one. */
const blocksBetween = `${blocks} AND (from_at, from_id) >= (
    SELECT from_at, from_id FROM recording_blocks
    WHERE list_id = ? AND (from_at, from_id) <= (?, ?) ${descending} LIMIT 1)
  AND (from_at, from_id) <= (?, ?) ORDER BY from_at, from_id`

const saveBlock = `INSERT INTO recording_blocks (list_id, from_at, from_id, count) VALUES (?, ?, ?, ?)
  ON CONFLICT (list_id, from_at, from_id) DO UPDATE SET count = excluded.count`
const removeBlock = "DELETE FROM recording_blocks WHERE list_id = ? AND from_at = ? AND from_id = ?"
const setCount = "UPDATE recording_blocks SET count = ? WHERE list_id = ? AND from_at = ? AND from_id = ?"
const insertBlock = "INSERT INTO recording_blocks (list_id, from_at, from_id, count) VALUES (?, ?, ?, ?)"
