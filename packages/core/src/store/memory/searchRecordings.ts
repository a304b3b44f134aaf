import type { Recording, RecordingParts, User, UserId } from "@tapedeck/domain"
import {
  foundTokens,
  orderKey,
  ownerWords,
  type RecordingOrder,
  type SearchTerm,
  SpokenWords,
  searchedTranscript,
  spokenKey
} from "@tapedeck/domain/internal/recordings"
import { legacySegment } from "@tapedeck/domain/internal/transcript"
import { type FoundRecordings, maxCounted, maxTermOwners, type RecordingPlace, type RecordingSearch } from "../Store.ts"
import { folderKey, ownerKey, type WorldState } from "./WorldState.ts"

/** Tokens of a recording, kept as long as the store has that very object. */
const fieldTokens = new WeakMap<Recording, ReadonlyArray<string>>()

const tokensOf = (recording: Recording): ReadonlyArray<string> => {
  const known = fieldTokens.get(recording) ?? foundTokens(recording)
  fieldTokens.set(recording, known)
  return known
}

/** Tokens of a transcript, kept as long as the store has its very texts, for what readers see of them. */
const transcriptTokens = new WeakMap<RecordingParts, { readonly key: string; readonly tokens: ReadonlyArray<string> }>()

const spokenTokens = (state: WorldState, recording: Recording): ReadonlyArray<string> => {
  const searched = searchedTranscript(recording)
  const parts = state.recordingParts.get(recording.id)
  if (searched === null || parts === undefined) return []
  const key = spokenKey(recording)
  const known = transcriptTokens.get(parts)
  if (known?.key === key) return known.tokens
  const { source } = searched
  const words = new SpokenWords(searched)
  words.take(source === "legacy" ? [legacySegment(parts.legacyText ?? "")] : parts[source])
  const tokens = words.end()
  transcriptTokens.set(parts, { key, tokens })
  return tokens
}

interface OwnedTerm extends SearchTerm {
  readonly owners: ReadonlySet<UserId>
}

/** The term with the users who have its word, of the account. */
const withOwners = (state: WorldState, accountId: Recording["accountId"], term: SearchTerm): OwnedTerm => {
  const { owner } = term
  if (owner === null) return { ...term, owners: new Set() }
  const beginsLike = ({ email, id, name }: User) =>
    ownerWords({ email, name }).flatMap((word) => (word.startsWith(owner) ? [{ key: word, id }] : []))
  const found = state.users.valuesArray().flatMap((user) => (user.accountId === accountId ? beginsLike(user) : []))
  const first = found.sort((a, b) => compareKeys(a.key, b.key) || a.id - b.id).slice(0, maxTermOwners)
  return { ...term, owners: new Set(first.map(({ id }) => id)) }
}

const startsIn = (tokens: ReadonlyArray<string>) => (word: string) => tokens.some((token) => token.startsWith(word))

const hasTerm = (state: WorldState, recording: Recording, { exact, owners, words }: OwnedTerm): boolean => {
  const [fields, spoken] = [tokensOf(recording), spokenTokens(state, recording)]
  const isStart = (word: string) => startsIn(fields)(word) || startsIn(spoken)(word)
  const isToken = (word: string) => fields.includes(word) || spoken.includes(word)
  return (words.every(isStart) && exact.every(isToken)) || (recording.ownerId !== null && owners.has(recording.ownerId))
}

const isSpoken = (state: WorldState, recording: Recording, terms: ReadonlyArray<SearchTerm>): boolean => {
  const tokens = spokenTokens(state, recording)
  return terms.some(({ exact, words }) => words.some(startsIn(tokens)) || exact.some((word) => tokens.includes(word)))
}

const matches = (
  state: WorldState,
  search: RecordingSearch,
  terms: ReadonlyArray<OwnedTerm>,
  recording: Recording
): boolean => {
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
    terms.every((term) => hasTerm(state, recording, term))
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
): FoundRecordings => {
  const { accountId, folderId, order, ownerId } = search
  const key = folderId ? folderKey(folderId) : ownerId ? ownerKey(accountId, ownerId) : `account:${accountId}`
  const list = search.terms?.length === 0 ? [] : (state.recordingLists.get(key) ?? [])
  const terms = (search.terms ?? []).map((term) => withOwners(state, accountId, term))
  const compare = compareBy(order)
  const found: Array<RecordingPlace & { readonly recording: Recording }> = []
  let count = 0
  const take = (id: Recording["id"]) => {
    const recording = state.recordings.get(id)!
    if (!matches(state, search, terms, recording)) return
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
  const items = found.slice(0, limit).map(({ recording }) => recording)
  return {
    count: Math.min(count, maxCounted),
    isExact: count <= maxCounted,
    items,
    spoken: new Set(items.flatMap((one) => (isSpoken(state, one, terms) ? [one.id] : [])))
  }
}
