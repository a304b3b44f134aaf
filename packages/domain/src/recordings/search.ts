import { activeTicketId, normalizedTicketId } from "./helpdesk.ts"
import type { Recording } from "./Recording.ts"

/** Words of one recording that can be found, and of one search, and how long a word is at most: the rest is cut off. */
const maxFoundWords = 1_000
const maxSearchWords = 10
const maxWordLength = 64

const marks = /\p{M}+/gu
const words = /[\p{L}\p{N}]+/gu

/** The words of a text: runs of letters and digits, without case and accents. */
const wordsIn = (text: string): ReadonlyArray<string> =>
  text.normalize("NFKD").toLowerCase().replace(marks, "").match(words) ?? []

const cut = (word: string): string => {
  const short = word.slice(0, maxWordLength)
  return short.isWellFormed() ? short : short.slice(0, -1)
}

/** What a search finds a recording by: the words of its title, summary, customer and tickets, each once. */
export const foundWords = ({ customerEmail, helpdesk, summary, title }: Recording): ReadonlyArray<string> => {
  const found = new Set<string>()
  for (const text of [title, customerEmail, normalizedTicketId(helpdesk), activeTicketId(helpdesk), summary]) {
    for (const word of text === null ? [] : wordsIn(text)) {
      if (found.size < maxFoundWords) found.add(cut(word))
    }
  }
  return [...found]
}

/**
 * The words of a search; each must be the beginning of a word of the recording. Undefined for a text of no word or too many.
 */
export const searchWords = (text: string): ReadonlyArray<string> | undefined => {
  const all = [...new Set(wordsIn(text).map(cut))]
  return all.length === 0 || all.length > maxSearchWords ? undefined : all
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
