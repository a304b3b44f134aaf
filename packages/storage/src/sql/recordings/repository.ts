import {
  type FolderBatch,
  mapYielding,
  type RecordingFilter,
  type RecordingRepository,
  type Slice
} from "@tapedeck/core"
import {
  AccountId,
  activeTicketId,
  type Folder,
  type FolderId,
  normalizedTicketId,
  Recording,
  type RecordingUuid,
  type UserId
} from "@tapedeck/domain"
import { spokenKey, titleOrder } from "@tapedeck/domain/internal/recordings"
import { Context, Effect } from "effect"
import { Cache } from "../database/Cache.ts"
import type { Counters, Database } from "../database/Database.ts"
import type { Dialect } from "../database/dialect.ts"
import { attemptRead, documentsIn } from "../database/documents.ts"
import { RowUnreadable } from "../database/errors.ts"
import { columnsOf, inList } from "../database/statements.ts"
import { advanceMark, recordingChanges, recordRemoval } from "./changes.ts"
import { countedLists, defaultBlockSize, type Listing, listFor, listsOf, type Position } from "./lists.ts"
import { recordingSearch } from "./search.ts"
import { folderToken, searchText } from "./searchConditions.ts"
import { seenRecordings } from "./seen.ts"
import { indexSpoken } from "./spoken.ts"
import { ticketSearch, ticketText } from "./tickets.ts"
import type { Entry, Views } from "./Views.ts"

/** Maximum size of the cache, in characters of JSON: some 25,000 usual recordings in 65 MB, with their JSON for responses. */
const cachedCharacters = 32 * 1024 * 1024

/** Numbers of rows that one statement reads: each number is a prepared statement. */
const batchSizes = [100, 25, 5, 1] as const

type DocumentRow = readonly [id: number, revision: number, folderId: FolderId | null, document: string]

const selectDocuments = new Map(
  batchSizes.map((count) => {
    const marks = Array(count).fill("?").join(", ")
    return [count, `SELECT id, revision, folder_id, document FROM recordings WHERE id IN (${marks})`]
  })
)

/**
 * A recording's document. The folder is a column, so that one statement empties a folder; views are counted in a table of their
 * own.
 */
const encode = (recording: Recording): string => JSON.stringify({ ...recording, folderId: null, impressionsCount: 0 })

const readDocument = documentsIn("recordings", Recording)

const decode = ([id, , folderId, document]: DocumentRow, views: number): Recording => {
  // Writable, because only this function has the parsed document yet: a copy of each recording would slow lists down.
  const recording = readDocument(id, document) as { -readonly [Key in keyof Recording]: Recording[Key] }
  recording.folderId = folderId
  recording.impressionsCount = views
  return recording
}

/** A list leaves out what cannot be read: the others are listed. */
const leaveOut = (fault: RowUnreadable): Effect.Effect<void> =>
  Effect.logError("A recording could not be listed", fault)

type OnUnreadable = (fault: RowUnreadable) => Effect.Effect<void>

/** Recordings by the entries of a list: from the cache, or else from their rows. */
const makeDocuments = ({ query, sql }: Pick<Database, "query" | "sql">) => {
  const cache = new Cache<number, number, Recording>(cachedCharacters)

  const load = Effect.fnUntraced(function* (
    missing: ReadonlyMap<number, Entry>,
    found: Map<number, Recording>,
    { isCommitted, onUnreadable }: { readonly isCommitted: boolean; readonly onUnreadable: OnUnreadable }
  ) {
    const ids = [...missing.keys()]
    for (let start = 0; start < ids.length; ) {
      const count = batchSizes.find((size) => size <= ids.length - start)!
      const rows = yield* query<DocumentRow>(selectDocuments.get(count)!, ...ids.slice(start, start + count))
      const decoded = yield* mapYielding(
        rows,
        (row) => attemptRead(() => decode(row, missing.get(row[0])!.views)),
        (_, [, , , document]) => document.length
      )
      for (const [index, [id, revision, , document]] of rows.entries()) {
        const recording = decoded[index]!
        if (recording instanceof RowUnreadable) {
          yield* onUnreadable(recording)
          continue
        }
        found.set(id, recording)
        if (isCommitted) cache.put(id, revision, recording, document.length)
      }
      start += count
    }
  })

  /** The cached recording, with the entry's views. */
  const cached = ({ id, revision, views }: Entry): Recording | undefined => {
    const recording = cache.get(id, revision)
    if (recording === undefined || recording.impressionsCount === views) return recording
    const viewed = { ...recording, impressionsCount: views }
    cache.replace(id, revision, viewed)
    return viewed
  }

  /** Returns recordings in the order of the entries, without those that were removed since. */
  return (entries: ReadonlyArray<Entry>, onUnreadable: OnUnreadable) =>
    Effect.withFiber((fiber) => {
      const all = entries.map(cached)
      const missing = new Map<number, Entry>()
      for (const [index, one] of all.entries()) if (one === undefined) missing.set(entries[index]!.id, entries[index]!)
      if (missing.size === 0) return Effect.succeed(all as ReadonlyArray<Recording>)
      // A transaction reads its own writes, which may never be committed.
      const isCommitted = Context.getOrUndefined(fiber.context, sql.transactionService) === undefined
      const loaded = new Map<number, Recording>()
      return Effect.map(load(missing, loaded, { isCommitted, onUnreadable }), () =>
        all.flatMap((one, index) => one ?? loaded.get(entries[index]!.id) ?? [])
      )
    })
}

/** The lists of a recording, and its place in them. */
type Placed = Listing & { readonly createdAt: number }
type ListedRow = readonly [accountId: AccountId, ownerId: UserId | null, folderId: FolderId | null, createdAt: number]

/** Recordings and their counted lists (docs/adr/0011-counted-blocks.md). */
export const makeRecordings = (
  database: Database,
  counters: Counters,
  views: Views,
  { blockSize = defaultBlockSize }: { readonly blockSize?: number } = {}
): RecordingRepository => {
  const { dialect, query, read, write } = database
  const { insert, leave, update } = writesOf(dialect)
  const advance = advanceMark(query, dialect)
  const lists = countedLists(query, views, blockSize)
  const documents = makeDocuments(database)
  const search = recordingSearch(database, views)
  const searchTicket = ticketSearch(query, views)

  const one = (where: string, value: number | string) =>
    Effect.flatMap(views.entries(`SELECT id, revision FROM recordings WHERE ${where} = ?`, value), (entries) =>
      entries.length === 0 ? Effect.undefined : Effect.map(documents(entries, Effect.die), ([found]) => found)
    )

  const page = ({ ticket, ...filter }: RecordingFilter, slice: Slice) =>
    Effect.flatMap(
      ticket === undefined
        ? lists.part(listFor(filter), slice.offset, slice.limit)
        : searchTicket({ ...filter, ticket }, slice),
      ({ count, entries }: { readonly count: number; readonly entries: ReadonlyArray<Entry> }) =>
        Effect.map(documents(entries, leaveOut), (items) => ({ count, items }))
    )

  const recordingsOf = (column: "id" | "uuid", list: ReadonlyArray<number | string>) => {
    if (list.length === 0) return Effect.succeed([])
    const { marks, values } = inList(list)
    return Effect.flatMap(
      views.entries(`SELECT id, revision FROM recordings WHERE ${column} IN ${marks}`, ...values),
      (entries) => documents(entries, leaveOut)
    )
  }

  const insertRow = Effect.fnUntraced(function* (recording: Recording) {
    yield* query(insert, recording.id, recording.uuid, ...columns.of(recording), encode(recording))
    yield* views.begin(recording.id, recording.impressionsCount)
  })

  const add = Effect.fnUntraced(function* (recording: Recording) {
    yield* advance
    yield* insertRow(recording)
    for (const list of listsOf(recording)) yield* lists.add(list, recording)
    yield* counters.from("recording", recording.id)
  })

  const addAll = Effect.fnUntraced(function* (recordings: ReadonlyArray<Recording>) {
    if (recordings.length === 0) return
    yield* advance
    for (const recording of recordings) yield* insertRow(recording)
    for (const { entries, list } of byList(recordings)) yield* lists.addAll(list, entries)
    yield* counters.from(
      "recording",
      recordings.reduce((highest, { id }) => Math.max(highest, id), 0)
    )
  })

  const move = Effect.fnUntraced(function* (before: Placed, after: Recording) {
    const { accountId, id, uuid } = after
    const { ownerId } = before
    yield* advance
    if (ownerId !== null && ownerId !== after.ownerId) {
      yield* recordRemoval(query, dialect, { accountId, ownerId, uuid, isDeleted: false })
    }
    yield* query(update, ...columns.of(after), encode(after), id)
    const from = listsOf(before)
    const to = listsOf(after)
    const isSame = before.createdAt === after.createdAt
    const keys = (all: typeof from) => new Set(all.map(({ key }) => key))
    const [keysBefore, keysAfter] = [keys(from), keys(to)]
    for (const list of from) {
      if (!isSame || !keysAfter.has(list.key)) yield* lists.remove(list, { id, createdAt: before.createdAt })
    }
    for (const list of to) if (!isSame || !keysBefore.has(list.key)) yield* lists.add(list, after)
  })

  const save = Effect.fnUntraced(function* (recording: Recording) {
    const [row] = yield* query<readonly [...ListedRow, spoken: string]>(
      "SELECT account_id, owner_id, folder_id, created_at, spoken_key FROM recordings WHERE id = ?",
      recording.id
    )
    if (row === undefined) return yield* add(recording)
    const [accountId, ownerId, folderId, createdAt, spokenBefore] = row
    yield* move(listingOf([accountId, ownerId, folderId, createdAt]), recording)
    if (spokenKey(recording) !== spokenBefore) yield* indexSpoken(query, recording)
  })

  const remove = Effect.fnUntraced(function* (uuid: RecordingUuid) {
    const [row] = yield* query<readonly [...ListedRow, id: number, revision: number]>(
      "DELETE FROM recordings WHERE uuid = ? RETURNING account_id, owner_id, folder_id, created_at, id, revision",
      uuid
    )
    if (row === undefined) return
    const [accountId, ownerId, folderId, createdAt, id, revision] = row
    yield* advance
    yield* recordRemoval(query, dialect, { accountId, ownerId, uuid, isDeleted: true })
    yield* query("UPDATE recording_revisions SET highest = ? WHERE highest < ?", revision, revision)
    yield* query("DELETE FROM recording_parts WHERE recording_id = ?", id)
    yield* query("DELETE FROM share_links WHERE recording_uuid = ?", uuid)
    yield* query("DELETE FROM seen_recordings WHERE recording_uuid = ?", uuid)
    yield* views.end(id)
    const before = listingOf([accountId, ownerId, folderId, createdAt])
    for (const list of listsOf(before)) yield* lists.remove(list, { id, createdAt })
  })

  /** The lists of a folder that has become empty are removed. */
  const leaveFolder = Effect.fnUntraced(function* (
    { accountId, id: folderId }: Pick<Folder, "accountId" | "id">,
    { after, limit }: FolderBatch
  ) {
    const place = after === null ? [beforeAll, 0] : [after.key, after.id]
    const rows = yield* query<[id: number, ownerId: UserId | null, createdAt: number]>(
      inFolderAfter,
      folderId,
      accountId,
      ...place,
      limit
    )
    if (rows.length > 0) {
      const { marks, values } = inList(rows.map(([id]) => id))
      yield* advance
      yield* query(`${leave} WHERE id IN ${marks}`, folderToken(folderId), ...values)
      const left = rows.map(([id, ownerId, createdAt]) => ({
        ...listingOf([accountId, ownerId, folderId, createdAt]),
        id
      }))
      for (const { entries, list } of byList(left)) if (list.folderId !== null) yield* lists.removeAll(list, entries)
    }
    const last = rows.length === limit ? rows.at(-1)! : undefined
    if (last !== undefined) return { left: rows.length, after: { key: last[2], id: last[0] } }
    yield* query(`DELETE FROM recording_blocks WHERE list_id IN (${emptyLists})`, folderId)
    yield* query(`DELETE FROM recording_lists WHERE id IN (${emptyLists})`, folderId)
    return { left: rows.length, after: null }
  })

  const removedFolders = Effect.map(query<[id: FolderId, accountId: number | null]>(removedWithRecordings), (rows) =>
    rows.flatMap(([id, accountId]) => (accountId === null ? [] : [{ id, accountId: AccountId.make(accountId) }]))
  )

  return {
    byId: (id) => read(one("id", id)),
    byUuid: (uuid) => read(one("uuid", uuid)),
    byUuids: (uuids) => read(recordingsOf("uuid", uuids)),
    page: (filter, slice) => read(page(filter, slice)),
    search: (filters, after, limit) =>
      read(
        Effect.flatMap(search(filters, after, limit), ({ entries, ...found }) =>
          Effect.map(documents(entries, leaveOut), (items) => ({ ...found, items }))
        )
      ),
    storedBytes: ({ accountId, ownerId }) =>
      read(Effect.map(query<readonly [number | string]>(storedBytes, accountId, ownerId), ([row]) => Number(row![0]))),
    add: (recordings) => write(addAll(recordings)),
    save: (recording) => write(save(recording)),
    remove: (uuid) => write(remove(uuid)),
    leaveFolder: (folder, batch) => write(leaveFolder(folder, batch)),
    removedFolders: read(removedFolders),
    countView: (id) => Effect.sync(() => views.count(id)),
    ...recordingChanges(database, (ids) => recordingsOf("id", ids)),
    ...seenRecordings(database)
  }
}

/** The entries of each list, of recordings that are on it. */
const byList = (recordings: ReadonlyArray<Listing & Position>) => {
  const found = new Map<string, { list: ReturnType<typeof listsOf>[number]; entries: Array<Position> }>()
  for (const recording of recordings) {
    for (const list of listsOf(recording)) {
      const known = found.get(list.key)
      if (known === undefined) found.set(list.key, { list, entries: [recording] })
      else known.entries.push(recording)
    }
  }
  return found.values()
}

const listingOf = ([accountId, ownerId, folderId, createdAt]: ListedRow): Placed => ({
  accountId,
  ownerId,
  folderId,
  createdAt
})

// A subquery looks up the files of each recording. A join could be planned as a scan of all files.
const storedBytes = `SELECT coalesce(sum((
    SELECT sum(f.size_bytes) FROM files f WHERE f.recording_uuid = r.uuid AND f.unattached_since IS NULL
  )), 0) + coalesce(sum((
    SELECT sum(c.held_bytes) FROM captures c WHERE c.recording_uuid = r.uuid AND c.held_bytes > 0
  )), 0) FROM recordings r WHERE r.account_id = ? AND r.owner_id = ?`

/** A time before that of each recording of a folder. */
const beforeAll = -9e15

const inFolderAfter = `SELECT id, owner_id, created_at FROM recordings
  WHERE folder_id = ? AND account_id = ? AND (created_at, id) > (?, ?) ORDER BY created_at, id LIMIT ?`

const emptyLists = "SELECT id FROM recording_lists WHERE folder_id = ? AND count = 0"

const removedWithRecordings = `SELECT l.folder_id,
    (SELECT r.account_id FROM recordings r WHERE r.folder_id = l.folder_id LIMIT 1)
  FROM recording_lists l
  WHERE l.folder_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM folders f WHERE f.id = l.folder_id)
  GROUP BY l.folder_id`

const ticketColumn = (id: string | null) => (id === null ? null : ticketText(id))

/** The columns by which recordings are found and ordered: another one needs a line here, and a migration. */
const columns = columnsOf<Recording>({
  account_id: ({ accountId }) => accountId,
  owner_id: ({ ownerId }) => ownerId,
  folder_id: ({ folderId }) => folderId,
  platform: ({ helpdesk }) => helpdesk.platform,
  ticket_id: ({ helpdesk }) => ticketColumn(normalizedTicketId(helpdesk)),
  active_ticket_id: ({ helpdesk }) => ticketColumn(activeTicketId(helpdesk)),
  created_at: ({ createdAt }) => createdAt,
  title_order: titleOrder,
  spoken_key: spokenKey,
  duration: ({ durationSeconds }) => durationSeconds ?? -1,
  search: searchText
})

/** The statements that change recordings. Each sets the mark of its transaction, by which a list of changes finds them. */
const writesOf = ({ commits }: Dialect) => ({
  // The revision is above those of every recording that had the same id, so that none of these is read from the cache.
  insert: `INSERT INTO recordings (id, uuid, ${columns.names}, changed, revision, document)
    VALUES (?, ?, ${columns.marks}, ${commits.mark}, (SELECT highest + 1 FROM recording_revisions), ?)`,
  update: `UPDATE recordings SET ${columns.changes}, changed = ${commits.mark}, revision = revision + 1, document = ?
    WHERE id = ?`,
  leave: `UPDATE recordings SET folder_id = NULL, search = replace(search, ?, ''), changed = ${commits.mark},
    revision = revision + 1`
})
