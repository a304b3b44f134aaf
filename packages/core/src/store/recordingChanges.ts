import type { AccountId, Recording, RecordingUuid, UserId } from "@tapedeck/domain"

/**
 * A place in the order of commits. `mark` belongs to a transaction: a later commit has a higher one, except for transactions that ran
 * at the same time. Within a mark, removals (`rank` 0) come before recordings (`rank` 1), each in the order of `id`.
 */
export interface CommitPlace {
  readonly mark: number
  readonly rank: number
  readonly id: number
}

/** The place before everything of a mark. */
export const startOfMark = (mark: number): CommitPlace => ({ mark, rank: -1, id: 0 })

export const comparePlacesOfCommits = (a: CommitPlace, b: CommitPlace): number =>
  a.mark - b.mark || a.rank - b.rank || a.id - b.id

export interface ChangesRequest {
  readonly accountId: AccountId
  /** Only this user's recordings (a member's view). */
  readonly ownerId?: UserId
  /** Place after which the list continues; null: its start. */
  readonly after: CommitPlace | null
  /** Removals with a lower mark are not listed; without it, removals before now. */
  readonly removalsFrom?: number
  /** `origin` of an earlier answer, and the highest mark that it had. */
  readonly origin?: { readonly name: string; readonly seen: number }
  readonly limit: number
}

/** A recording that was changed, or (`recording` is null) deleted or withdrawn from the owner's view. */
export interface ChangedRecording {
  readonly uuid: RecordingUuid
  readonly recording: Recording | null
}

export interface ChangedRecordings {
  /** Name of the history of commits to which the marks belong. */
  readonly origin: string
  /** Each transaction with a lower mark had ended before the list was read. */
  readonly horizon: number
  /**
   * False if the list cannot continue: `origin` was another history, which this one left before `seen` (a restored copy), or removals after
   * the place were forgotten. The list is empty then.
   */
  readonly isContinuous: boolean
  /** At most `limit`, in the order of commits. */
  readonly changes: ReadonlyArray<ChangedRecording>
  /** Place of the last change that was read; null if there was none. */
  readonly last: CommitPlace | null
  readonly hasMore: boolean
}

/** Maximum number of removals that are forgotten at a time. */
export const maxForgotten = 200
