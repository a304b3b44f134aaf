import type {
  AccountId,
  Folder,
  FolderId,
  Instant,
  Platform,
  Recording,
  RecordingId,
  RecordingParts,
  RecordingType,
  RecordingUuid,
  Segment,
  UserId
} from "@tapedeck/domain"
import type { RecordingOrder, SearchTerm } from "@tapedeck/domain/internal/recordings"
import type { Effect } from "effect"
import type { ChangedRecordings, ChangesRequest } from "./recordingChanges.ts"
import type { Part, Slice } from "./slices.ts"

export interface RecordingFilter {
  readonly accountId: AccountId
  /** Only this user's recordings (a member's view). */
  readonly ownerId?: UserId
  /** Normalized ticket id or active follow-up id, exactly (N6), and the platform it is restricted to. */
  readonly ticket?: { readonly ticketId: string; readonly platform?: Platform }
  /** Only what is in this folder; not together with `ticket`. */
  readonly folderId?: FolderId
}

/** Filters of a search, all of which must match, and its order. */
export interface RecordingSearch {
  readonly accountId: AccountId
  readonly ownerId?: UserId
  /**
   * Terms that must all match (`parseSearch`); an empty list finds nothing. An owner is one of the first `maxTermOwners` whose words
   * match.
   */
  readonly terms?: ReadonlyArray<SearchTerm>
  readonly uuid?: string
  readonly type?: RecordingType
  readonly platform?: Platform
  readonly folderId?: FolderId
  /** Earliest creation, inclusive. */
  readonly since?: Instant
  /** Latest creation, exclusive. */
  readonly until?: Instant
  readonly order: RecordingOrder
}

/** Position in a list: the key that the list is ordered by (`orderKey`), then the id of the last record. */
export interface RecordingPlace {
  readonly key: number | string
  readonly id: number
}

/** Recordings that leave a folder together. */
export interface FolderBatch {
  /** The last recording of the batch before, by its creation; null: the first batch. */
  readonly after: RecordingPlace | null
  readonly limit: number
}

export interface LeftRecordings {
  readonly left: number
  /** Position of the next batch; null if there are no more. */
  readonly after: RecordingPlace | null
}

/** The next records of a list that is read by cursor. */
export interface ListPart<Item> {
  /** Number of recordings in the whole list, up to the limit of counting. */
  readonly count: number
  /** True if `count` is exact; false if the list has at least as many. */
  readonly isExact: boolean
  readonly items: ReadonlyArray<Item>
}

/** Recordings that a search finds. */
export interface FoundRecordings extends ListPart<Recording> {
  /** Recordings of `items` whose transcript, as readers see it, has a word of the search. */
  readonly spoken: ReadonlySet<RecordingId>
}

/** Maximum number of words of users, in their order, that a term of a search is compared with. */
export const maxTermOwners = 100

/** Lists that are read by cursor are counted up to here. */
export const maxCounted = 10_000

/** Record that a user has opened a recording. It is removed with the recording. */
export interface SeenBy {
  readonly userId: UserId
  /** Time after which the recording counts as seen without this record. */
  readonly expiresAt: Instant
}

export interface RecordingRepository {
  readonly byId: (id: RecordingId) => Effect.Effect<Recording | undefined>
  readonly byUuid: (uuid: RecordingUuid) => Effect.Effect<Recording | undefined>
  /** Returns those of the recordings that exist, in any order. */
  readonly byUuids: (uuids: ReadonlyArray<RecordingUuid>) => Effect.Effect<ReadonlyArray<Recording>>
  /** Newest first: `createdAt` descending, then `id` descending (R7). */
  readonly page: (filter: RecordingFilter, slice: Slice) => Effect.Effect<Part<Recording>>
  /**
   * Returns the next `limit` records after `after`, as they and their transcripts are. Reads only the matching entries of the order's index and the text index.
   */
  readonly search: (
    search: RecordingSearch,
    after: RecordingPlace | null,
    limit: number
  ) => Effect.Effect<FoundRecordings>
  /** Bytes of all files of a user's recordings, and those that their captures hold until they are joined. */
  readonly storedBytes: (owner: Required<Pick<RecordingFilter, "accountId" | "ownerId">>) => Effect.Effect<number>
  /**
   * Adds new recordings. Their lists are counted once: to save each would cost more, the more recordings its transaction has saved.
   */
  readonly add: (recordings: ReadonlyArray<Recording>) => Effect.Effect<void>
  /** Saves a recording. `impressionsCount` is written for a new recording only; otherwise the counted views stay. */
  readonly save: (recording: Recording) => Effect.Effect<void>
  /** Removes the recording with its parts. */
  readonly remove: (uuid: RecordingUuid) => Effect.Effect<void>
  /** The next recordings leave the folder, oldest first. */
  readonly leaveFolder: (folder: Pick<Folder, "accountId" | "id">, batch: FolderBatch) => Effect.Effect<LeftRecordings>
  /** Folders that were removed, and that recordings have not left yet. */
  readonly removedFolders: Effect.Effect<ReadonlyArray<Pick<Folder, "accountId" | "id">>>
  /**
   * Adds one to the views of a recording. The next read on this process shows it; other processes on the same database show
   * it within a second, and a crash loses at most the last second of views.
   */
  readonly countView: (id: RecordingId) => Effect.Effect<void>
  /**
   * Returns what was committed after a place: every change of a recording except its views, and every removal. What was committed while
   * older transactions were running may be listed again, and is never missed.
   */
  readonly changesSince: (request: ChangesRequest) => Effect.Effect<ChangedRecordings>
  /** Forgets the oldest removals from before this time, up to `maxForgotten`; returns their number. */
  readonly forgetRemovals: (removedBefore: Instant) => Effect.Effect<number>
  /** Records that the user has opened the recording; a repeat, and a recording that does not exist, change nothing. */
  readonly markSeen: (uuid: RecordingUuid, seen: SeenBy) => Effect.Effect<void>
  /** Returns those of the recordings that the user has opened, according to the records that are kept. */
  readonly seenBy: (userId: UserId, uuids: ReadonlyArray<RecordingUuid>) => Effect.Effect<ReadonlySet<RecordingUuid>>
  /** Forgets records of opened recordings that ended before this time, up to `maxForgotten`; returns their number. */
  readonly forgetSeen: (endedBefore: Instant) => Effect.Effect<number>
}

/** The parts of a recording that are read in one piece. */
export type WholePart = Exclude<keyof RecordingParts, SegmentSource>

/** The parts of a recording that are read a page at a time. */
export type SegmentSource = "edited" | "processed"

/**
 * The large parts of recordings. A recording without parts has `noParts`. A change to a transcript's texts belongs in the transaction
 * that saves the recording, which has the number of segments.
 */
export interface RecordingPartRepository {
  readonly read: <Name extends WholePart>(
    id: RecordingId,
    ...names: ReadonlyArray<Name>
  ) => Effect.Effect<Pick<RecordingParts, Name>>
  /** Returns a slice of the segments, in order. */
  readonly segments: (id: RecordingId, source: SegmentSource, slice: Slice) => Effect.Effect<ReadonlyArray<Segment>>
  /** Writes these parts; the others keep their value. The recording must exist. */
  readonly save: (id: RecordingId, parts: Partial<RecordingParts>) => Effect.Effect<void>
}
