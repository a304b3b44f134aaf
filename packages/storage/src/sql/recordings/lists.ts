import type { RecordingFilter } from "@tapedeck/core"
import type { AccountId, FolderId, Recording, UserId } from "@tapedeck/domain"

/** A list of recordings that is counted: an account's, an owner's, a folder's, an owner's within a folder. */
export interface CountedList {
  /** Its name. Ids of folders may hold any character: they come last. */
  readonly key: string
  readonly folderId: FolderId | null
  /** What is on it, in columns of which an index has just these, and then the order. */
  readonly where: string
  readonly of: ReadonlyArray<number | string>
}

/** What decides on which lists a recording is. */
export type Listing = Pick<Recording, "accountId" | "ownerId" | "folderId">

const ofAccount = (accountId: AccountId): CountedList => ({
  key: `account:${accountId}`,
  folderId: null,
  where: "account_id = ?",
  of: [accountId]
})

const ofOwner = (accountId: AccountId, ownerId: UserId): CountedList => ({
  key: `owner:${accountId}:${ownerId}`,
  folderId: null,
  where: "account_id = ? AND owner_id = ?",
  of: [accountId, ownerId]
})

const inFolder = (accountId: AccountId, folderId: FolderId): CountedList => ({
  key: `folder:${accountId}:${folderId}`,
  folderId,
  where: "folder_id = ? AND account_id = ?",
  of: [folderId, accountId]
})

const inFolderOfOwner = (accountId: AccountId, folderId: FolderId, ownerId: UserId): CountedList => ({
  key: `folder_owner:${accountId}:${ownerId}:${folderId}`,
  folderId,
  where: "folder_id = ? AND account_id = ? AND owner_id = ?",
  of: [folderId, accountId, ownerId]
})

/** All lists that a recording is on. */
export const listsOf = ({ accountId, folderId, ownerId }: Listing): ReadonlyArray<CountedList> => {
  const lists = [ofAccount(accountId)]
  if (ownerId !== null) lists.push(ofOwner(accountId, ownerId))
  if (folderId !== null) lists.push(inFolder(accountId, folderId))
  if (folderId !== null && ownerId !== null) lists.push(inFolderOfOwner(accountId, folderId, ownerId))
  return lists
}

/** The list that has exactly what a filter without a ticket lets through. */
export const listFor = ({ accountId, folderId, ownerId }: Omit<RecordingFilter, "ticket">): CountedList =>
  folderId === undefined
    ? ownerId === undefined
      ? ofAccount(accountId)
      : ofOwner(accountId, ownerId)
    : ownerId === undefined
      ? inFolder(accountId, folderId)
      : inFolderOfOwner(accountId, folderId, ownerId)
