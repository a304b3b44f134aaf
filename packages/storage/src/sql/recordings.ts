import type { RecordingFilter, RecordingRepository, Slice } from "@tapedeck/core"
import { activeTicketId, type FolderId, normalizedTicketId, type Recording, type RecordingUuid } from "@tapedeck/domain"
import { Effect } from "effect"
import type { Counters } from "./counters.ts"
import type { Database } from "./Database.ts"
import { countedBlocks, usualBlockSize } from "./recordings/blocks.ts"
import { encode, makeDocuments } from "./recordings/documents.ts"
import { type Listing, listFor, listsOf } from "./recordings/lists.ts"
import { ticketSearch, ticketText } from "./recordings/tickets.ts"
import type { Entry, Views } from "./recordings/Views.ts"

/** What decides on which lists a recording is, and where. */
type Placed = Listing & { readonly createdAt: number }
type ListedRow = readonly [accountId: number, ownerId: number | null, folderId: string | null, createdAt: number]

/** Recordings, and the lists that they are on, counted in blocks: docs/adr/0011-counted-blocks.md. */
export const makeRecordings = (
  database: Database,
  counters: Counters,
  views: Views,
  { blockSize = usualBlockSize }: { readonly blockSize?: number } = {}
): RecordingRepository => {
  const { query, read, write } = database
  const blocks = countedBlocks(query, views, blockSize)
  const documents = makeDocuments(database)
  const searchTicket = ticketSearch(query, views)

  const one = (where: string, value: number | string) =>
    Effect.flatMap(views.entries(`SELECT id, revision FROM recordings WHERE ${where} = ?`, value), (entries) =>
      entries.length === 0 ? Effect.undefined : Effect.map(documents(entries), ([found]) => found)
    )

  const page = ({ ticket, ...filter }: RecordingFilter, slice: Slice) =>
    Effect.flatMap(
      ticket === undefined
        ? blocks.part(listFor(filter), slice.offset, slice.limit)
        : searchTicket({ ...filter, ticket }, slice),
      ({ count, entries }: { readonly count: number; readonly entries: ReadonlyArray<Entry> }) =>
        Effect.map(documents(entries), (items) => ({ count, items }))
    )

  const add = Effect.fnUntraced(function* (recording: Recording) {
    yield* query(insert, recording.id, recording.uuid, ...listed(recording), encode(recording))
    yield* views.begin(recording.id, recording.impressionsCount)
    for (const list of listsOf(recording)) yield* blocks.add(list, recording)
    yield* counters.from("recording", recording.id)
  })

  const move = Effect.fnUntraced(function* (before: Placed, after: Recording) {
    const { id } = after
    yield* query(update, ...listed(after), encode(after), id)
    const from = listsOf(before)
    const to = listsOf(after)
    const isSame = before.createdAt === after.createdAt
    const keys = (lists: typeof from) => new Set(lists.map(({ key }) => key))
    const [keysBefore, keysAfter] = [keys(from), keys(to)]
    for (const list of from) {
      if (!isSame || !keysAfter.has(list.key)) yield* blocks.remove(list, { id, createdAt: before.createdAt })
    }
    for (const list of to) if (!isSame || !keysBefore.has(list.key)) yield* blocks.add(list, after)
  })

  const save = Effect.fnUntraced(function* (recording: Recording) {
    const [row] = yield* query<ListedRow>(
      "SELECT account_id, owner_id, folder_id, created_at FROM recordings WHERE id = ?",
      recording.id
    )
    yield* row === undefined ? add(recording) : move(listingOf(row), recording)
  })

  const remove = Effect.fnUntraced(function* (uuid: RecordingUuid) {
    const [row] = yield* query<readonly [...ListedRow, id: number, revision: number]>(
      "DELETE FROM recordings WHERE uuid = ? RETURNING account_id, owner_id, folder_id, created_at, id, revision",
      uuid
    )
    if (row === undefined) return
    const [accountId, ownerId, folderId, createdAt, id, revision] = row
    yield* query("UPDATE recording_revisions SET used = ? WHERE used < ?", revision, revision)
    yield* query("DELETE FROM recording_parts WHERE recording_id = ?", id)
    yield* views.end(id)
    const before = listingOf([accountId, ownerId, folderId, createdAt])
    for (const list of listsOf(before)) yield* blocks.remove(list, { id, createdAt })
  })

  /** One statement for all that is in it, and its lists are dropped as a whole. */
  const leaveFolder = Effect.fnUntraced(function* (id: FolderId) {
    const left = yield* query(
      "UPDATE recordings SET folder_id = NULL, revision = revision + 1 WHERE folder_id = ? RETURNING id",
      id
    )
    yield* query(
      "DELETE FROM recording_blocks WHERE list_id IN (SELECT id FROM recording_lists WHERE folder_id = ?)",
      id
    )
    yield* query("DELETE FROM recording_lists WHERE folder_id = ?", id)
    return left.length
  })

  return {
    byId: (id) => read(one("id", id)),
    byUuid: (uuid) => read(one("uuid", uuid)),
    page: (filter, slice) => read(page(filter, slice)),
    storedBytes: ({ accountId, ownerId }) =>
      read(Effect.map(query<readonly [number | string]>(storedBytes, accountId, ownerId), ([row]) => Number(row![0]))),
    save: (recording) => write(save(recording)),
    remove: (uuid) => write(remove(uuid)),
    leaveFolder: (id) => write(leaveFolder(id)),
    countView: (id) => Effect.sync(() => views.count(id))
  }
}

const listingOf = ([accountId, ownerId, folderId, createdAt]: ListedRow) =>
  ({ accountId, ownerId, folderId, createdAt }) as Placed

// A join could be answered by a walk over all files: a subquery looks up those of each recording.
const storedBytes = `SELECT coalesce(sum((
    SELECT sum(f.size_bytes) FROM files f WHERE f.recording_uuid = r.uuid AND f.loose = 0
  )), 0) FROM recordings r WHERE r.account_id = ? AND r.owner_id = ?`

/** The columns that a recording is found and ordered by. */
const columns = "account_id, owner_id, folder_id, platform, ticket_id, active_ticket_id, created_at"

const ticketColumn = (id: string | null) => (id === null ? null : ticketText(id))

const listed = ({ accountId, createdAt, folderId, helpdesk, ownerId }: Recording) =>
  [
    accountId,
    ownerId,
    folderId,
    helpdesk.platform,
    ticketColumn(normalizedTicketId(helpdesk)),
    ticketColumn(activeTicketId(helpdesk)),
    createdAt
  ] as const

// A revision is above all that a recording under the same id ever had: what is kept of that one is of the past.
const insert = `INSERT INTO recordings (id, uuid, ${columns}, revision, document)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, (SELECT used + 1 FROM recording_revisions), ?)`

const update = `UPDATE recordings
  SET account_id = ?, owner_id = ?, folder_id = ?, platform = ?, ticket_id = ?, active_ticket_id = ?, created_at = ?,
    revision = revision + 1, document = ? WHERE id = ?`
