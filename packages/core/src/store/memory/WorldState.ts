import type {
  AccessToken,
  Account,
  AccountId,
  AuditDestination,
  Automation,
  Delivery,
  Folder,
  FolderId,
  Instant,
  Recording,
  RecordingId,
  RecordingParts,
  RecordingUuid,
  SessionId,
  ShareLink,
  TokenId,
  User,
  UserId
} from "@tapedeck/domain"
import type { AuditCheckpoint, AuditEntry, AuditSeal } from "@tapedeck/domain/audit"
import type { Capture, CaptureLink, CapturePiece, CaptureToken, Site } from "@tapedeck/domain/capture"
import type { AttemptResult } from "@tapedeck/domain/delivery"
import type { AttemptTally, ReceiverHealth, Redelivery } from "@tapedeck/domain/internal/delivery"
import type { ResumableUpload, UploadPiece } from "@tapedeck/domain/internal/files"
import type { Job } from "@tapedeck/domain/internal/jobs"
import type { Password, Session, SignInLink, TryWindow } from "@tapedeck/domain/internal/people"
import type { StoredResponse } from "../idempotencyKeys.ts"
import type { Due, FileContent, RateWindow, SeenBy } from "../Store.ts"
import { type Table, tableBy, tableByNumber, tableByString } from "./Table.ts"

/** A queued delivery. `sequence` is the order of creation. */
export interface QueuedDelivery {
  readonly sequence: number
  readonly delivery: Delivery
  readonly fence: number
  /** The result of an attempt that has not ended yet. */
  readonly held: AttemptResult | null
  /** Place in the queue; null if the delivery has ended. */
  readonly place: AgendaPlace | null
  /**
   * End of the lease while the delivery is in flight, else null: the agenda has the delivery at this time, and it keeps its place in the
   * queue.
   */
  readonly leasedUntil: Instant | null
}

/** A counter of attempts; they are in the order of accounts, then of hours. */
export interface AttemptCount extends Pick<AttemptTally, "accountId" | "hour" | "receiver" | "measure"> {
  readonly attempts: number
}
export type CountKey = Omit<AttemptCount, "attempts">

/** `lastAt`: when its last attempt ended. */
export interface CountedHealth extends Pick<AttemptTally, "accountId" | "receiver"> {
  readonly health: ReceiverHealth
  readonly lastAt: Instant
}

/** `sequence` is the order of creation. */
export interface NumberedRedelivery {
  readonly sequence: number
  readonly redelivery: Redelivery
}

/** A queued job. `place` is when it can be claimed: when it is due, or its lease ends. `fence` is that of its last claim, 0 before one. */
export interface QueuedJob {
  readonly job: Job
  readonly fence: number
  readonly place: AgendaPlace
}

/** A piece and its capture. */
export interface PieceOf {
  readonly captureId: string
  readonly piece: CapturePiece
}

/** A piece and its upload. */
export interface PieceOfUpload {
  readonly uploadId: string
  readonly piece: UploadPiece
}

/** Due order, first in first out on ties: `order` counts the entries of the agenda. */
export interface AgendaPlace {
  readonly at: Instant
  readonly order: number
}

/** `number` is the order in which responses were stored. */
export interface NumberedResponse extends StoredResponse {
  readonly number: number
}

/** The latest change of a recording. */
export interface RecordingMark {
  readonly mark: number
  readonly recordingId: RecordingId
}

/** A recording that was deleted, or (`isDeleted` is false) got another owner. `ownerId`: its owner before. */
export interface RecordingRemoval {
  readonly mark: number
  readonly uuid: RecordingUuid
  readonly accountId: AccountId
  readonly ownerId: UserId | null
  readonly isDeleted: boolean
  readonly removedAt: Instant
}

export type ChainPlace = Pick<AuditSeal, "accountId" | "seq">

/**
 * The state of a store in memory, as one immutable value: a fork copies the reference, a reset restores one. Values share tables,
 * which only the `Draft` that cloned them writes.
 */
export interface WorldState {
  readonly counters: Readonly<Record<string, number>>
  readonly accounts: Table<number, Account>
  readonly users: Table<number, User>
  readonly usersByEmail: Table<string, UserId>
  readonly tokens: Table<string, AccessToken>
  readonly tokensByHash: Table<string, TokenId>
  readonly recordings: Table<number, Recording>
  readonly recordingsByUuid: Table<string, RecordingId>
  readonly recordingParts: Table<number, RecordingParts>
  /** The latest change of each recording, and removals, by their marks; `marksOfRecordings` is the index by recording, and `removals` has the removals. */
  readonly recordingChanges: Table<number, RecordingMark | RecordingRemoval>
  readonly marksOfRecordings: Table<number, number>
  readonly removals: Table<number, RecordingRemoval>
  /** Users who have opened a recording, by its UUID. */
  readonly seenRecordings: Table<string, ReadonlyArray<SeenBy>>
  /** Share links by id. */
  readonly shareLinks: Table<string, ShareLink>
  /** Lists of recordings, newest first: of an account, of an owner, of a folder, of a ticket. */
  readonly recordingLists: Table<string, ReadonlyArray<RecordingId>>
  // The following are few, and listed in the order of creation, which a Map keeps.
  readonly folders: ReadonlyMap<string, Folder>
  readonly automations: ReadonlyMap<string, Automation>
  readonly destinations: ReadonlyMap<string, AuditDestination>
  readonly sites: ReadonlyMap<string, Site>
  /** Number of origins of enabled sites, by their text. */
  readonly siteOrigins: Table<string, number>
  readonly captureLinks: ReadonlyMap<string, CaptureLink>
  readonly captures: Table<string, Capture>
  /** Pieces by capture, in order (`pieceKey`). */
  readonly capturePieces: Table<string, PieceOf>
  /** Capture tokens by hash. */
  readonly captureTokens: Table<string, CaptureToken>
  readonly auditEntries: Table<number, AuditEntry>
  readonly auditSeals: Table<ChainPlace, AuditSeal>
  readonly auditCheckpoints: Table<number, AuditCheckpoint>
  /** The chains' key, sealed, under `key`; at most one row. */
  readonly auditChainKey: Table<string, string>
  readonly deliveries: Table<number, QueuedDelivery>
  readonly deliveriesById: Table<string, number>
  readonly redeliveries: Table<string, NumberedRedelivery>
  readonly attemptCounts: Table<CountKey, AttemptCount>
  readonly receiverHealth: Table<string, CountedHealth>
  readonly agenda: Table<AgendaPlace, Due>
  /** The number of deliveries in flight. */
  readonly leases: number
  /** Jobs by id. */
  readonly jobs: Table<string, QueuedJob>
  readonly files: Table<string, FileContent>
  readonly uploads: Table<string, ResumableUpload>
  /** Pieces by upload, in order (`pieceKey`). */
  readonly uploadPieces: Table<string, PieceOfUpload>
  readonly rateWindows: Table<string, RateWindow>
  readonly storedResponses: Table<string, NumberedResponse>
  readonly sessions: Table<string, Session>
  readonly sessionsByHash: Table<string, SessionId>
  readonly passwords: Table<number, Password>
  /** Sign-in links by hash. */
  readonly signInLinks: Table<string, SignInLink>
  readonly tryWindows: Table<string, TryWindow>
}

export const comparePlaces = (a: AgendaPlace, b: AgendaPlace): number => a.at - b.at || a.order - b.order

const compareCounts = (a: CountKey, b: CountKey): number => {
  const difference = a.accountId - b.accountId || a.hour - b.hour
  if (difference !== 0 || a.receiver === b.receiver) return difference || a.measure - b.measure
  return a.receiver < b.receiver ? -1 : 1
}

export const emptyWorld = (): WorldState => ({
  counters: {},
  accounts: tableByNumber(),
  users: tableByNumber(),
  usersByEmail: tableByString(),
  tokens: tableByString(),
  tokensByHash: tableByString(),
  recordings: tableByNumber(),
  recordingsByUuid: tableByString(),
  recordingParts: tableByNumber(),
  recordingChanges: tableByNumber(),
  marksOfRecordings: tableByNumber(),
  removals: tableByNumber(),
  seenRecordings: tableByString(),
  shareLinks: tableByString(),
  recordingLists: tableByString(),
  folders: new Map(),
  automations: new Map(),
  destinations: new Map(),
  sites: new Map(),
  siteOrigins: tableByString(),
  captureLinks: new Map(),
  captures: tableByString(),
  capturePieces: tableByString(),
  captureTokens: tableByString(),
  auditEntries: tableByNumber(),
  auditSeals: tableBy((a, b) => a.accountId - b.accountId || a.seq - b.seq),
  auditCheckpoints: tableByNumber(),
  auditChainKey: tableByString(),
  deliveries: tableByNumber(),
  deliveriesById: tableByString(),
  redeliveries: tableByString(),
  attemptCounts: tableBy(compareCounts),
  receiverHealth: tableByString(),
  agenda: tableBy(comparePlaces),
  leases: 0,
  jobs: tableByString(),
  files: tableByString(),
  uploads: tableByString(),
  uploadPieces: tableByString(),
  rateWindows: tableByString(),
  storedResponses: tableByString(),
  sessions: tableByString(),
  sessionsByHash: tableByString(),
  passwords: tableByNumber(),
  signInLinks: tableByString(),
  tryWindows: tableByString()
})

type MapName = "folders" | "automations" | "destinations" | "sites" | "captureLinks"
type MapValue<Name extends MapName> = WorldState[Name] extends ReadonlyMap<string, infer Value> ? Value : never
type TableName = Exclude<keyof WorldState, MapName | "counters" | "leases">
type Mutable<A> = { -readonly [Key in keyof A]: A[Key] }

/** A `WorldState` in the making. Its tables are cloned when they are first written. */
export class Draft {
  readonly state: Mutable<WorldState>
  private readonly mine = new Set<unknown>()

  constructor(base: WorldState) {
    this.state = { ...base }
  }

  /** The named table, to write to. */
  edit<Name extends TableName>(name: Name): WorldState[Name] {
    const table = this.state[name]
    if (this.mine.has(table)) return table
    return this.own(name, (table as Table<unknown, unknown>).clone() as unknown as WorldState[Name])
  }

  /** The named map, to write to: for what is few, and is listed in the order in which it was made. */
  editMap<Name extends MapName>(name: Name): Map<string, MapValue<Name>> {
    const map = this.state[name] as ReadonlyMap<string, MapValue<Name>>
    const mine = this.mine.has(map) ? map : this.own(name, new Map(map) as unknown as WorldState[Name])
    return mine as Map<string, MapValue<Name>>
  }

  private own<Name extends TableName | MapName>(name: Name, copy: WorldState[Name]): WorldState[Name] {
    this.mine.add(copy)
    this.state[name] = copy
    return copy
  }

  /** The list of recordings under this key, to write to. */
  editList(key: string): Array<RecordingId> {
    const list = this.state.recordingLists.get(key)
    if (list !== undefined && this.mine.has(list)) return list as Array<RecordingId>
    const copy = list === undefined ? [] : [...list]
    this.mine.add(copy)
    this.edit("recordingLists").set(key, copy)
    return copy
  }

  /** The next number of this kind, from 1. */
  count(kind: string): number {
    const next = (this.state.counters[kind] ?? 0) + 1
    this.state.counters = { ...this.state.counters, [kind]: next }
    return next
  }

  /** Ensures that numbers drawn elsewhere are not drawn again. */
  countFrom(kind: string, taken: number) {
    if (taken > (this.state.counters[kind] ?? 0)) {
      this.state.counters = { ...this.state.counters, [kind]: taken }
    }
  }
}

/** Keys of `recordingLists`. */
export const folderKey = (folderId: FolderId) => `folder:${folderId}`

export const ownerKey = (accountId: AccountId, ownerId: UserId) => `owner:${accountId}:${ownerId}`
