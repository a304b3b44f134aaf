import type { User } from "../people/User.ts"
import { activeTicketId, normalizedTicketId } from "./helpdesk.ts"
import { helpdeskLabels } from "./helpdesks.ts"
import type { Recording } from "./Recording.ts"
import {
  cutText,
  cutWord,
  isUnspaced,
  pairToken,
  plain,
  startsOfWord,
  TokenSet,
  wordsIn,
  wordsInPlain
} from "./searchWords.ts"

/** Maximum number of words and pairs of words of a recording's fields, and their total length in characters. The rest is not found. */
const maxFieldTokens = 2_000
const maxFieldCharacters = 32 * 1024
const maxOwnerWords = 50
/** Maximum number of words of a search; further words are dropped. */
const maxSearchWords = 10

/** Maximum number of recordings that a list selects by their UUIDs. */
export const MAX_LISTED_UUIDS = 100

/** Returns the tickets as they are displayed: `Zendesk 4711`. */
const ticketTexts = (helpdesk: Recording["helpdesk"]): ReadonlyArray<string> => {
  const ids = [normalizedTicketId(helpdesk), activeTicketId(helpdesk)].filter((id) => id !== null)
  return ids.length === 0 || helpdesk.platform === "app" ? ids : [...ids, helpdeskLabels[helpdesk.platform]]
}

/**
 * Returns the tokens by which a search finds a recording, without repetition: words and pairs of words of its title, customer, tickets, summary
 * and description.
 */
export const foundTokens = (recording: Recording): ReadonlyArray<string> => {
  const { customerEmail, description, helpdesk, summary, title } = recording
  const found = new TokenSet(maxFieldTokens, maxFieldCharacters)
  for (const text of [title, customerEmail, ...ticketTexts(helpdesk), summary, description]) {
    if (text !== null) found.take(text.slice(0, maxFieldCharacters))
    found.end()
  }
  return [...found.tokens]
}

/**
 * Returns the words by which a search finds the recordings of a user: the words of the name, the whole address, and the words of its part
 * before the `@`. The rest of the address is omitted, because colleagues share it.
 */
export const ownerWords = ({ email, name }: Pick<User, "email" | "name">): ReadonlyArray<string> => {
  const [local = ""] = email.split("@", 1)
  const all = [plain(email), ...wordsIn(local), ...wordsIn(name)]
  return [...new Set(all.map(cutWord))].slice(0, maxOwnerWords)
}

/**
 * A term of a search. A recording matches if it has each of `words` as the start of a token, and each of `exact` as a token, or if its owner has
 * `owner` as the start of a word. A phrase finds no owner.
 */
export interface SearchTerm {
  readonly words: ReadonlyArray<string>
  readonly exact: ReadonlyArray<string>
  readonly owner: string | null
}

/** A parsed search: the UUID of a recording, or terms that must all match. Without terms, nothing matches. */
export type ParsedSearch = { readonly uuid: string } | { readonly terms: ReadonlyArray<SearchTerm> }

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/
const quotes = /["\u201c\u201d\u201e]/u
const parts = /[^\s<>()[\]{},;:]+/gu

/** Removes full stops after an address, which may be at the end of a sentence. */
const withoutDots = (address: string): string => (address.endsWith(".") ? withoutDots(address.slice(0, -1)) : address)

/** Words of a search that are one term: of an e-mail address, of a phrase (without `owner`), or one alone. */
interface Group {
  readonly words: ReadonlyArray<string>
  readonly owner: string | null
}

const groupsOf = (text: string): ReadonlyArray<Group> =>
  (text.match(parts) ?? []).flatMap((part): ReadonlyArray<Group> => {
    const words = wordsInPlain(part)
    const isAddress = part.includes("@") && words.length > 1
    return isAddress ? [{ words, owner: withoutDots(part) }] : words.map((word) => ({ words: [word], owner: word }))
  })

const termOf = ({ owner, words }: Group): SearchTerm => {
  if (owner !== null) return { words: words.flatMap(startsOfWord), exact: [], owner: cutWord(owner) }
  const pairs = words.slice(1).flatMap((word, index) => pairToken(words[index]!, word) ?? [])
  const spaced = words.filter((word) => !isUnspaced(word))
  return { words: words.filter(isUnspaced).flatMap(startsOfWord), exact: [...spaced.map(cutWord), ...pairs], owner }
}

/**
 * Parses a search. Accepts any text. A UUID, alone or in an address of the service, finds its recording. Text in double quotes is a phrase:
 * its words as they are, each after the one before. A quote that is not closed is ignored. Only the first ten words are used.
 */
export const parseSearch = (text: string): ParsedSearch => {
  const asked = plain(text)
  const [id] = uuid.exec(asked) ?? []
  if (id !== undefined) return { uuid: id }
  const pieces = asked.split(quotes)
  const isPhrase = (index: number) => index % 2 === 1 && index < pieces.length - 1
  const groups = pieces.flatMap((piece, index) =>
    isPhrase(index) ? [{ words: wordsInPlain(piece), owner: null }] : groupsOf(piece)
  )
  const terms = new Map<string, SearchTerm>()
  let left = maxSearchWords
  for (const { owner, words } of groups) {
    const key = owner ?? `"${words.join(" ")}`
    const taken = words.slice(0, left)
    if (terms.has(key) || taken.length === 0) continue
    terms.set(key, termOf({ words: taken, owner }))
    left -= taken.length
  }
  return { terms: [...terms.values()] }
}

/** Returns the sort key of a title: its words. */
export const titleOrder = ({ title }: Pick<Recording, "title">): string => cutText(wordsIn(title ?? "").join(" "), 200)

/** Orders of a list of recordings; `-` is descending. */
export const recordingOrders = ["created_at", "-created_at", "title", "-title", "duration", "-duration"] as const
export type RecordingOrder = (typeof recordingOrders)[number]

/** Returns the sort key of a recording; ties are broken by id. A recording without a duration is shorter than all others. */
export const orderKey = (order: RecordingOrder, recording: Recording): number | string => {
  if (order.endsWith("title")) return titleOrder(recording)
  return order.endsWith("duration") ? (recording.durationSeconds ?? -1) : recording.createdAt
}
