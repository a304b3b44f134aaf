import type { User } from "../people/User.ts"
import { activeTicketId, normalizedTicketId } from "./helpdesk.ts"
import { helpdeskLabels } from "./helpdesks.ts"
import type { Recording } from "./Recording.ts"

/** Maximum numbers of words of a recording, of a user and of a search, and maximum length of a word. The rest is cut off. */
const maxFoundWords = 1_000
const maxOwnerWords = 50
const maxSearchWords = 10
const maxWordLength = 64

const marks = /\p{M}+/gu
const words = /[\p{L}\p{N}]+/gu

/** Returns a text without case and accents. */
const plain = (text: string): string => text.normalize("NFKD").toLowerCase().replace(marks, "")

/** Returns the words of a text: runs of letters and digits, without case and accents. */
const wordsIn = (text: string): ReadonlyArray<string> => plain(text).match(words) ?? []

const cut = (word: string): string => {
  const short = word.slice(0, maxWordLength)
  return short.isWellFormed() ? short : short.slice(0, -1)
}

/** Returns the tickets as they are displayed: `Zendesk 4711`. */
const ticketTexts = (helpdesk: Recording["helpdesk"]): ReadonlyArray<string> => {
  const ids = [normalizedTicketId(helpdesk), activeTicketId(helpdesk)].filter((id) => id !== null)
  return ids.length === 0 || helpdesk.platform === "app" ? ids : [...ids, helpdeskLabels[helpdesk.platform]]
}

/** Returns the words by which a search finds a recording, without repetition: those of its title, summary, customer and tickets. */
export const foundWords = ({ customerEmail, helpdesk, summary, title }: Recording): ReadonlyArray<string> => {
  const found = new Set<string>()
  for (const text of [title, customerEmail, ...ticketTexts(helpdesk), summary]) {
    for (const word of text === null ? [] : wordsIn(text)) {
      if (found.size < maxFoundWords) found.add(cut(word))
    }
  }
  return [...found]
}

/**
 * Returns the words by which a search finds the recordings of a user: the words of the name, the whole address, and the words of its part
 * before the `@`. The rest of the address is omitted, because colleagues share it.
 */
export const ownerWords = ({ email, name }: Pick<User, "email" | "name">): ReadonlyArray<string> => {
  const [local = ""] = email.split("@", 1)
  const all = [plain(email), ...wordsIn(local), ...wordsIn(name)]
  return [...new Set(all.map(cut))].slice(0, maxOwnerWords)
}

/** A term of a search. A recording matches if it has each of `words`, or its owner has `owner`, as the start of a word. */
export interface SearchTerm {
  readonly words: ReadonlyArray<string>
  readonly owner: string
}

/** A parsed search: the UUID of a recording, or terms that must all match. Without terms, nothing matches. */
export type ParsedSearch = { readonly uuid: string } | { readonly terms: ReadonlyArray<SearchTerm> }

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/
const parts = /[^\s<>()[\]{},;:"]+/gu

/** Removes full stops after an address, which may be at the end of a sentence. */
const withoutDots = (address: string): string => (address.endsWith(".") ? withoutDots(address.slice(0, -1)) : address)

/**
 * Parses a search. Accepts any text. A UUID, alone or in an address of the service, finds its recording. An e-mail address is one term,
 * and so is each other word. Only the first ten words are used.
 */
export const parseSearch = (text: string): ParsedSearch => {
  const asked = plain(text)
  const [id] = uuid.exec(asked) ?? []
  if (id !== undefined) return { uuid: id }
  const terms = new Map<string, SearchTerm>()
  let left = maxSearchWords
  for (const part of asked.match(parts) ?? []) {
    const found = (part.match(words) ?? []).map(cut)
    const isAddress = part.includes("@") && found.length > 1
    for (const own of isAddress ? [found] : found.map((word) => [word])) {
      const owner = isAddress ? cut(withoutDots(part)) : own[0]!
      const taken = own.slice(0, left)
      if (terms.has(owner) || taken.length === 0) continue
      terms.set(owner, { words: taken, owner })
      left -= taken.length
    }
  }
  return { terms: [...terms.values()] }
}

/** Returns the sort key of a title: its words. */
export const titleOrder = ({ title }: Pick<Recording, "title">): string => cut200(wordsIn(title ?? "").join(" "))

const cut200 = (text: string): string => {
  const short = text.slice(0, 200)
  return short.isWellFormed() ? short : short.slice(0, -1)
}

/** Orders of a list of recordings; `-` is descending. */
export const recordingOrders = ["created_at", "-created_at", "title", "-title", "duration", "-duration"] as const
export type RecordingOrder = (typeof recordingOrders)[number]

/** Returns the sort key of a recording; ties are broken by id. A recording without a duration is shorter than all others. */
export const orderKey = (order: RecordingOrder, recording: Recording): number | string => {
  if (order.endsWith("title")) return titleOrder(recording)
  return order.endsWith("duration") ? (recording.durationSeconds ?? -1) : recording.createdAt
}
