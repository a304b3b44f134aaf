import type { Recording, User, UserId } from "@tapedeck/domain"
import {
  foundWords,
  orderKey,
  ownerWords,
  type RecordingOrder,
  type SearchTerm
} from "@tapedeck/domain/internal/recordings"
import { type ListPart, maxCounted, maxTermOwners, type RecordingPlace, type RecordingSearch } from "../Store.ts"
import { folderKey, ownerKey, type WorldState } from "./WorldState.ts"

/** Words of a recording, kept as long as the store has that very object. */
const wordsOf = new WeakMap<Recording, ReadonlyArray<string>>()

const knownWords = (recording: Recording): ReadonlyArray<string> => {
  const known = wordsOf.get(recording) ?? foundWords(recording)
  wordsOf.set(recording, known)
  return known
}

interface OwnedTerm extends SearchTerm {
  readonly owners: ReadonlySet<UserId>
}

/** The term with the users who have its word, of the account. */
const withOwners = (state: WorldState, accountId: Recording["accountId"], term: SearchTerm): OwnedTerm => {
  const beginsLike = ({ email, id, name }: User) =>
    ownerWords({ email, name }).flatMap((word) => (word.startsWith(term.owner) ? [{ key: word, id }] : []))
  const found = state.users.valuesArray().flatMap((user) => (user.accountId === accountId ? beginsLike(user) : []))
  const first = found.sort((a, b) => compareKeys(a.key, b.key) || a.id - b.id).slice(0, maxTermOwners)
  return { ...term, owners: new Set(first.map(({ id }) => id)) }
}

const hasTerm = (recording: Recording, { owners, words }: OwnedTerm): boolean =>
  words.every((word) => knownWords(recording).some((known) => known.startsWith(word))) ||
  (recording.ownerId !== null && owners.has(recording.ownerId))

const matches = (search: RecordingSearch, terms: ReadonlyArray<OwnedTerm>, recording: Recording): boolean => {
  const { accountId, folderId, ownerId, platform, since, type, until, uuid } = search
  return (
    recording.accountId === accountId &&
    (ownerId === undefined || recording.ownerId === ownerId) &&
    (folderId === undefined || recording.folderId === folderId) &&
    (type === undefined || recording.type === type) &&
    (platform === undefined || recording.helpdesk.platform === platform) &&
    (since === undefined || recording.createdAt >= since) &&
    (until === undefined || recording.createdAt < until) &&
    (uuid === undefined || recording.uuid === uuid) &&
    terms.every((term) => hasTerm(recording, term))
  )
}

/** Texts in the order of their bytes in UTF-8, as databases have them. */
const compareKeys = (a: number | string, b: number | string): number =>
  typeof a === "string" ? Buffer.compare(Buffer.from(a), Buffer.from(b as string)) : a - (b as number)

const compareBy = (order: RecordingOrder) => {
  const sign = order.startsWith("-") ? -1 : 1
  return (a: RecordingPlace, b: RecordingPlace) => sign * (compareKeys(a.key, b.key) || a.id - b.id)
}

/** Searches the shortest list in memory that has all requested recordings, until enough are counted. */
export const searchRecordings = (
  state: WorldState,
  search: RecordingSearch,
  after: RecordingPlace | null,
  limit: number
): ListPart<Recording> => {
  const { accountId, folderId, order, ownerId } = search
  const key = folderId ? folderKey(folderId) : ownerId ? ownerKey(accountId, ownerId) : `account:${accountId}`
  const list = search.terms?.length === 0 ? [] : (state.recordingLists.get(key) ?? [])
  const terms = (search.terms ?? []).map((term) => withOwners(state, accountId, term))
  const compare = compareBy(order)
  const found: Array<RecordingPlace & { readonly recording: Recording }> = []
  let count = 0
  const take = (id: Recording["id"]) => {
    const recording = state.recordings.get(id)!
    if (!matches(search, terms, recording)) return
    count += 1
    const place = { key: orderKey(order, recording), id: recording.id, recording }
    if (after === null || compare(place, after) > 0) found.push(place)
  }
  // Lists are newest first: only another order has to read the whole list.
  if (order === "-created_at") {
    for (const id of list) {
      take(id)
      if (count > maxCounted && found.length >= limit) break
    }
  } else {
    for (const id of list) take(id)
    found.sort(compare)
  }
  return {
    count: Math.min(count, maxCounted),
    isExact: count <= maxCounted,
    items: found.slice(0, limit).map(({ recording }) => recording)
  }
}
