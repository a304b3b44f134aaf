import {
  documentOfWorldState,
  macToVerify,
  makeMemoryStore,
  Vault,
  WorldStateDocument,
  worldStateOfDocument
} from "@tapedeck/core"
import { HeaderList, Instant, RecordingUuid, TranscriptStatus } from "@tapedeck/domain"
import { decodeAll, type Problem, pathText } from "@tapedeck/domain/input"
import { FaultOutcome, HelpdeskKind, Outcome, WorldConfig } from "@tapedeck/fixtures"
import { Effect, Redacted, Result, Schema } from "effect"
import { MailView } from "../control/schemas.ts"
import { Journal, type JournalEntry } from "../journal/Journal.ts"
import { RecentBodies } from "../journal/RecentBodies.ts"
import type { Sink } from "../sinks/Sinks.ts"
import { AppendLog } from "./AppendLog.ts"
import { seededKey } from "./seeded.ts"
import type { WorldImage, WorldMoment } from "./World.ts"

/** Version of the snapshot format. */
const format = 2

const SinkDocument = Schema.Struct({
  id: Schema.String,
  kind: Schema.optionalKey(HelpdeskKind),
  respond: Schema.Array(Outcome),
  used: Schema.Natural,
  requests: Schema.Array(
    Schema.Struct({
      at: Instant,
      method: Schema.String,
      path: Schema.String,
      headers: HeaderList,
      body: Schema.String,
      outcome: Outcome
    })
  )
})

const FaultDocument = Schema.Struct({
  id: Schema.String,
  match: Schema.Struct({
    method: Schema.optionalKey(Schema.String),
    path: Schema.optionalKey(Schema.String),
    token: Schema.optionalKey(Schema.String)
  }),
  respond: Schema.Array(FaultOutcome),
  used: Schema.Natural
})

const MomentDocument = Schema.Struct({
  now: Instant,
  store: WorldStateDocument,
  sinks: Schema.Array(SinkDocument),
  read_scripts: Schema.Array(
    Schema.Struct({
      recording: RecordingUuid,
      reads: Schema.Natural,
      steps: Schema.Array(Schema.Struct({ reads: Schema.Natural, status: TranscriptStatus }))
    })
  ),
  faults: Schema.Struct({ list: Schema.Array(FaultDocument), made: Schema.Natural }),
  mails: Schema.Array(MailView),
  /** Written by this emulator and only read back: entries are as in the journal. */
  journal: Schema.Struct({ dropped: Schema.Natural, entries: Schema.Array(Schema.JsonObject) })
})

/** The complete state of a world, for this or another process. */
export const Snapshot = Schema.Struct({
  format: Schema.Literal(format).annotate({ message: `must be ${format}: the snapshot is of another version` }),
  seed: Schema.Int,
  config: WorldConfig,
  started_at: Instant,
  start: MomentDocument,
  present: MomentDocument
})
export type Snapshot = typeof Snapshot.Type

const encoded = Schema.encodeSync(Snapshot)

/** Keys are in the schema's order, so that the snapshot of a restored world has the same bytes. */
export const snapshotOf = ({ present, settings, start }: WorldImage): typeof Snapshot.Encoded =>
  encoded({
    format,
    seed: settings.seed,
    config: settings.config,
    started_at: settings.startedAt,
    start: documentOf(start),
    present: documentOf(present)
  })

/** The world of a snapshot, or all its problems. */
export const imageOf = (snapshot: unknown): Result.Result<WorldImage, ReadonlyArray<Problem>> =>
  Result.flatMap(
    Result.mapBoth(decodeAll(Snapshot)(snapshot), {
      onFailure: (found) => found.map(({ message, path }) => ({ path: pathText(path), message })),
      onSuccess: ({ config, present, seed, start, started_at: startedAt }): WorldImage => ({
        settings: { seed, config, startedAt },
        start: momentOf(start, config.journal_size),
        present: momentOf(present, config.journal_size)
      })
    }),
    (image) => {
      const problems = (["start", "present"] as const).flatMap((name) => chainProblems(image, name))
      return problems.length === 0 ? Result.succeed(image) : Result.fail(problems)
    }
  )

/** The audit chains of an edited snapshot may have no key with which they continue. */
const chainProblems = (image: WorldImage, name: "present" | "start"): ReadonlyArray<Problem> => {
  const { auditSeals } = makeMemoryStore(image[name].store).store
  const vault = Vault.make(Redacted.make(seededKey(image.settings.seed)))
  return Effect.runSync(
    Effect.match(Effect.provideService(macToVerify(auditSeals), Vault, vault), {
      onFailure: ({ message }) => [{ path: `${name}.store.auditChain`, message }],
      onSuccess: () => []
    })
  )
}

const documentOf = ({ now, store, environment }: WorldMoment): typeof MomentDocument.Type => ({
  now,
  store: documentOfWorldState(store),
  sinks: [...environment.sinks.values()].map(({ id, kind, requests, respond, used }) => ({
    id,
    ...(kind !== undefined && { kind }),
    respond,
    used,
    requests: requests.toArray()
  })),
  read_scripts: [...environment.readScripts].map(([recording, { reads, steps }]) => ({ recording, reads, steps })),
  faults: environment.faults,
  mails: environment.mails,
  journal: {
    dropped: environment.journal.dropped,
    entries: environment.journal.entries() as unknown as ReadonlyArray<Record<string, Schema.Json>>
  }
})

const momentOf = (document: typeof MomentDocument.Type, journalSize: number): WorldMoment => ({
  now: document.now,
  store: worldStateOfDocument(document.store),
  environment: {
    sinks: new Map(document.sinks.map((sink) => [sink.id, sinkOf(sink)])),
    readScripts: new Map(document.read_scripts.map(({ reads, recording, steps }) => [recording, { reads, steps }])),
    faults: document.faults,
    mails: document.mails,
    journal: Journal.of(
      journalSize,
      document.journal.entries as unknown as ReadonlyArray<JournalEntry>,
      document.journal.dropped
    )
  },
  bodies: new RecentBodies()
})

const sinkOf = ({ requests, ...sink }: typeof SinkDocument.Type): Sink => ({
  ...sink,
  requests: requests.reduce(
    (log, request) => log.push(request),
    AppendLog.empty<Sink["requests"] extends AppendLog<infer Item> ? Item : never>()
  )
})
