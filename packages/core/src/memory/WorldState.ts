import type {
  AccessToken,
  Account,
  AuditCheckpoint,
  AuditDestination,
  AuditEntry,
  AuditSeal,
  Automation,
  Delivery,
  Folder,
  Instant,
  Password,
  Recording,
  RecordingId,
  RecordingParts,
  Session,
  SessionId,
  SignInLink,
  TokenId,
  TryWindow,
  User,
  UserId
} from "@tapedeck/domain"
import type { AttemptResult, Due, FileContent, MediaClaim, RateWindow } from "../Store.ts"
import type { KeptAnswer } from "../store/idempotencyKeys.ts"
import { type Table, tableBy, tableByNumber, tableByString } from "./Table.ts"

/** A delivery as the queue has it. `sequence` is the order in which deliveries were made. */
export interface QueuedDelivery {
  readonly sequence: number
  readonly delivery: Delivery
  readonly fence: number
  /** The result of an attempt whose end is still to come. */
  readonly held: AttemptResult | null
  /** Its place in the queue; null when nothing more will happen to it. */
  readonly place: AgendaPlace | null
  /** Where it is in somebody's hand: then it is on the agenda for the end of its lease, and keeps its place in the queue. */
  readonly leasedUntil: Instant | null
}

/** A job as the queue has it: to be had from `availableAt` on, which is when it is due or its lease ends. */
export interface QueuedMediaJob extends MediaClaim {
  readonly availableAt: Instant
}

/** Due order, first in first out on ties: `order` counts what was put on the agenda. */
export interface AgendaPlace {
  readonly at: Instant
  readonly order: number
}

/** `number` is the order in which answers were kept. */
export interface NumberedAnswer extends KeptAnswer {
  readonly number: number
}

export type ChainPlace = Pick<AuditSeal, "accountId" | "seq">

/**
 * Everything that a store in memory holds, as one immutable value: a fork copies the reference, a reset puts one back.
 * Tables are shared between values and are written only by the `Draft` that cloned them.
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
  /** Lists of recordings, newest first: of an account, of an owner, of a ticket (see `recordingLists`). */
  readonly recordingLists: Table<string, ReadonlyArray<RecordingId>>
  // These are few, and listed in the order in which they were made, which a Map keeps.
  readonly folders: ReadonlyMap<string, Folder>
  readonly automations: ReadonlyMap<string, Automation>
  readonly destinations: ReadonlyMap<string, AuditDestination>
  readonly auditEntries: Table<number, AuditEntry>
  readonly auditSeals: Table<ChainPlace, AuditSeal>
  readonly auditCheckpoints: Table<number, AuditCheckpoint>
  /** One at most, under `key`: the chains' key, sealed. */
  readonly auditChainKey: Table<string, string>
  readonly deliveries: Table<number, QueuedDelivery>
  readonly deliveriesById: Table<string, number>
  readonly agenda: Table<AgendaPlace, Due>
  /** How many deliveries are in somebody's hand. */
  readonly leases: number
  readonly mediaJobs: Table<string, QueuedMediaJob>
  readonly files: Table<string, FileContent>
  readonly rateWindows: Table<string, RateWindow>
  readonly keptAnswers: Table<string, NumberedAnswer>
  readonly sessions: Table<string, Session>
  readonly sessionsByHash: Table<string, SessionId>
  readonly passwords: Table<number, Password>
  /** By hash. */
  readonly signInLinks: Table<string, SignInLink>
  readonly tryWindows: Table<string, TryWindow>
}

export const comparePlaces = (a: AgendaPlace, b: AgendaPlace): number => a.at - b.at || a.order - b.order

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
  recordingLists: tableByString(),
  folders: new Map(),
  automations: new Map(),
  destinations: new Map(),
  auditEntries: tableByNumber(),
  auditSeals: tableBy((a, b) => a.accountId - b.accountId || a.seq - b.seq),
  auditCheckpoints: tableByNumber(),
  auditChainKey: tableByString(),
  deliveries: tableByNumber(),
  deliveriesById: tableByString(),
  agenda: tableBy(comparePlaces),
  leases: 0,
  mediaJobs: tableByString(),
  files: tableByString(),
  rateWindows: tableByString(),
  keptAnswers: tableByString(),
  sessions: tableByString(),
  sessionsByHash: tableByString(),
  passwords: tableByNumber(),
  signInLinks: tableByString(),
  tryWindows: tableByString()
})

type MapName = "folders" | "automations" | "destinations"
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

  /** Sees to it that numbers given from outside are not given again. */
  countFrom(kind: string, taken: number) {
    if (taken > (this.state.counters[kind] ?? 0)) {
      this.state.counters = { ...this.state.counters, [kind]: taken }
    }
  }
}
