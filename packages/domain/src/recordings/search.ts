import type { User } from "../people/User.ts"
import { activeTicketId, normalizedTicketId } from "./helpdesk.ts"
import { helpdeskLabels } from "./helpdesks.ts"
import type { Recording } from "./Recording.ts"

/** Words of one recording, of one user and of one search, and how long a word is at most: the rest is cut off. */
const maxFoundWords = 1_000
const maxOwnerWords = 50
const maxSearchWords = 10
const maxWordLength = 64

const marks = /\p{M}+/gu
const words = /[\p{L}\p{N}]+/gu

/** Without case and accents. */
const plain = (text: string): string => text.normalize("NFKD").toLowerCase().replace(marks, "")

/** The words of a text: runs of letters and digits, without case and accents. */
const wordsIn = (text: string): ReadonlyArray<string> => plain(text).match(words) ?? []

const cut = (word: string): string => {
  const short = word.slice(0, maxWordLength)
  return short.isWellFormed() ? short : short.slice(0, -1)
}

/** The ticket as it is shown: `Zendesk 4711`. */
const ticketTexts = (helpdesk: Recording["helpdesk"]): ReadonlyArray<string> => {
  const ids = [normalizedTicketId(helpdesk), activeTicketId(helpdesk)].filter((id) => id !== null)
  return ids.length === 0 || helpdesk.platform === "app" ? ids : [...ids, helpdeskLabels[helpdesk.platform]]
}

/** What a search finds a recording by: the words of its title, summary, customer and tickets, each once. */
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
 * The words by which a search finds a user's recordings: the words of the name, and the address as one word and up to its `@` in words. Colleagues
 * share the rest of it.
 */
export const ownerWords = ({ email, name }: Pick<User, "email" | "name">): ReadonlyArray<string> => {
  const [local = ""] = email.split("@", 1)
  const all = [plain(email), ...wordsIn(local), ...wordsIn(name)]
  return [...new Set(all.map(cut))].slice(0, maxOwnerWords)
}

/** A recording matches if it has each of `words`, or its owner has `owner`: as the beginning of a word. */
export interface SearchTerm {
  readonly words: ReadonlyArray<string>
  readonly owner: string
}

/** The recording whose UUID the text has, or what matches every term; nothing without terms. */
export type ParsedSearch = { readonly uuid: string } | { readonly terms: ReadonlyArray<SearchTerm> }

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/
const parts = /[^\s<>()[\]{},;:"]+/gu

/** Addresses are also written at the end of a sentence. */
const withoutDots = (address: string): string => (address.endsWith(".") ? withoutDots(address.slice(0, -1)) : address)

/**
 * The meaning of a search, for any text. A UUID, alone or in an address of the service, means its recording. An e-mail address is
 * one term, and so is each other word. Words beyond ten are dropped.
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

/** By what titles are ordered: their words. */
export const titleOrder = ({ title }: Pick<Recording, "title">): string => cut200(wordsIn(title ?? "").join(" "))

const cut200 = (text: string): string => {
  const short = text.slice(0, 200)
  return short.isWellFormed() ? short : short.slice(0, -1)
}

/** What a list of recordings can be ordered by; `-` is the other way round. */
export const recordingOrders = ["created_at", "-created_at", "title", "-title", "duration", "-duration"] as const
export type RecordingOrder = (typeof recordingOrders)[number]

/** What a recording is ordered by, before its id. Without a duration it is shorter than any. */
export const orderKey = (order: RecordingOrder, recording: Recording): number | string => {
  if (order.endsWith("title")) return titleOrder(recording)
  return order.endsWith("duration") ? (recording.durationSeconds ?? -1) : recording.createdAt
}
