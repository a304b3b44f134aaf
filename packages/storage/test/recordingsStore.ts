import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { AccountId, FolderId, Instant, type Recording, RecordingId, RecordingUuid, UserId } from "@tapedeck/domain"
import { noHelpdesk } from "@tapedeck/domain/internal/recordings"
import { Effect } from "effect"
import type { Database } from "../src/sql/database/Database.ts"
import { migrate } from "../src/sql/database/migrate.ts"
import { migrations } from "../src/sql/migrations/index.ts"
import { makeRecordings } from "../src/sql/recordings/repository.ts"
import { Views } from "../src/sql/recordings/Views.ts"
import { makeSqliteDatabase } from "../src/sqlite/client.ts"
import { makeCounters } from "../src/sqlite/counters.ts"

const directory = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "tapedeck-recordings-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** The recordings of an empty database in a file of its own, and the database. */
export const openRecordings = (options: { readonly blockSize?: number } = {}) =>
  Effect.gen(function* () {
    const file = join(yield* directory, "tapedeck.db")
    const { database } = yield* makeSqliteDatabase(file)
    yield* migrate(database, migrations)
    return { file, database, recordings: recordingsOn(database, options) }
  }).pipe(Effect.orDie)

export const recordingsOn = (
  database: Database,
  options: { readonly blockSize?: number } = {},
  views = new Views(database)
) => makeRecordings(database, makeCounters(database.query), views, options)

export interface Sample {
  readonly id: number
  readonly createdAt?: number
  readonly account?: number
  readonly owner?: number | null
  readonly folder?: string | null
  readonly ticket?: string | null
  readonly title?: string
}

export const acme = AccountId.make(1)

export const sample = ({
  account = 1,
  createdAt = 0,
  folder = null,
  id,
  owner = null,
  ticket = null,
  title
}: Sample): Recording => ({
  id: RecordingId.make(id),
  uuid: RecordingUuid.make(`00000000-0000-4000-8000-${String(id).padStart(12, "0")}`),
  accountId: AccountId.make(account),
  ownerId: owner === null ? null : UserId.make(owner),
  title: title ?? `Recording ${id}`,
  summary: null,
  description: null,
  createdAt: Instant.make(createdAt),
  updatedAt: Instant.make(createdAt),
  durationSeconds: null,
  impressionsCount: 0,
  type: "Received",
  source: null,
  helpdesk: ticket === null ? noHelpdesk : { ...noHelpdesk, platform: "zendesk", ticketId: ticket },
  technicalDetails: { vendor: null, ipAddress: null, timezone: null, networkType: null, isp: null },
  consoleLogs: null,
  browser: null,
  os: null,
  customerEmail: null,
  roomInsights: null,
  v1Platform: null,
  folderId: folder === null ? null : FolderId.make(folder),
  video: { original: null, processed: null, edited: null },
  transcript: null
})
