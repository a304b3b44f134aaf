import type { Repairs } from "../../capture/Repairs.ts"
import type { Json, JsonObject } from "../../json.ts"
import type { Sliced } from "../../slices.ts"
import { charactersOfWord } from "./cues.ts"
import { MAX_TRANSCRIPT_SEGMENTS, MAX_TRANSCRIPT_WORDS, tooManySegments, tooManyWords } from "./limits.ts"
import type { JsonPath } from "./placedJson.ts"
import { BEFORE_ZERO, ENDS_EARLY } from "./repairs.ts"
import type { Word } from "./words.ts"

/** Thrown for an invalid value of the document. `path` is the path of the object or list that contains it. */
export class Wrong {
  readonly path: JsonPath
  readonly problem: string
  constructor(path: JsonPath, problem: string) {
    this.path = path
    this.problem = problem
  }
}

/** Thrown for an invalid document: the item cannot be omitted, because more would be lost, or because a limit is exceeded. */
export class DocumentWrong extends Wrong {}

/** Counts and repairs of the whole document. */
interface Reading {
  sentences: number
  words: number
  readonly repairs: Repairs
}

/** The name of a value in messages, and its path. */
export interface Place {
  readonly name: string
  readonly path: JsonPath
  readonly reading: Reading
}

export const documentPlace = (repairs: Repairs): Place => ({
  name: "",
  path: [],
  reading: { sentences: 0, words: 0, repairs }
})

export const at = ({ name, path, reading }: Place, key: string | number): Place => {
  const here = typeof key === "number" ? `${name}[${key}]` : name === "" ? key : `${name}.${key}`
  return { name: here, path: [...path, key], reading }
}

export const note = ({ name, reading }: Place, repair: string): void => reading.repairs.note(name, repair)

/** Returns the path of the object or list that contains a value. */
const around = ({ path }: Place): JsonPath => path.slice(0, -1)

/** A segment of a recognizer. */
export interface Row {
  readonly start: number
  readonly end: number | null
  readonly text: string
  readonly words: ReadonlyArray<SpokenWord>
  readonly speaker: string | null
}

/** A word with the label of its speaker. */
export interface SpokenWord extends Word {
  readonly label: string | null
}

export const isMissing = (value: Json | undefined): value is null | undefined => value === undefined || value === null

export const objectAt = (value: Json | undefined, place: Place, what = place.name): JsonObject => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new Wrong(around(place), `${what} must be an object`)
  }
  return value as JsonObject
}

export const listAt = (value: Json | undefined, place: Place): ReadonlyArray<Json> => {
  if (!Array.isArray(value)) throw new Wrong(around(place), `${place.name} must be a list`)
  return value
}

/** Reads a list of objects, with their positions. */
export const objectsAt = (value: Json | undefined, place: Place): ReadonlyArray<readonly [JsonObject, Place]> =>
  listAt(value, place).map((one, index) => [objectAt(one, at(place, index)), at(place, index)] as const)

type ReadItem<Item> = (row: JsonObject, place: Place) => Sliced<Item>

/** Reads the objects of a list. Invalid objects are omitted, unless all are invalid. */
function* readItems<Item>(list: ReadonlyArray<Json>, place: Place, read: ReadItem<Item>): Sliced<ReadonlyArray<Item>> {
  const items: Array<Item> = []
  let problem: Wrong | undefined
  for (const [index, value] of list.entries()) {
    const here = at(place, index)
    try {
      items.push(yield* read(objectAt(value, here), here))
    } catch (wrong) {
      if (!(wrong instanceof Wrong) || wrong instanceof DocumentWrong) throw wrong
      yield charactersOfWord
      problem ??= wrong
      note(here, `Left out: ${wrong.problem}`)
    }
  }
  if (problem !== undefined && items.length === 0) throw problem
  return items
}

/** Reads the segments of a list, up to a maximum number. */
export const readSegments = <Item>(
  value: Json | undefined,
  place: Place,
  read: ReadItem<Item>
): Sliced<ReadonlyArray<Item>> => {
  const list = listAt(value, place)
  if (list.length > MAX_TRANSCRIPT_SEGMENTS) throw new DocumentWrong(place.path, tooManySegments)
  return readItems(list, place, read)
}

export const textAt = (value: Json | undefined, place: Place): string => {
  if (typeof value !== "string") throw new Wrong(around(place), `${place.name} must be a string`)
  return value
}

/** Reads the label of a speaker, a text or a number; null for none. */
export const labelAt = (value: Json | undefined, place: Place): string | null => {
  if (isMissing(value)) return null
  if (typeof value !== "string" && typeof value !== "number") {
    throw new Wrong(around(place), `${place.name} must be a string or a number`)
  }
  return String(value)
}

/** Reads a time in seconds. */
export type ReadTime = (value: Json | undefined, place: Place) => number

/** Reads seconds as a number, or as a string like AWS and downloaders of captions. */
export const secondsAt: ReadTime = (value, place) => {
  const isText = typeof value === "string" && /^-?\d{1,15}(?:\.\d{1,15})?$/.test(value)
  const seconds = isText ? Number(value) : value
  if (typeof seconds !== "number" || Math.abs(seconds) > Number.MAX_SAFE_INTEGER) {
    throw new Wrong(around(place), `${place.name} must be seconds, from 0 on`)
  }
  return fromZero(seconds, place)
}

/** Reads whole milliseconds. */
export const millisecondsAt: ReadTime = (ms, place) => {
  if (typeof ms !== "number" || !Number.isSafeInteger(ms)) {
    throw new Wrong(around(place), `${place.name} must be whole milliseconds, from 0 on`)
  }
  return fromZero(ms, place) / 1000
}

const fromZero = (time: number, place: Place): number => {
  if (time >= 0) return time
  note(place, BEFORE_ZERO)
  return 0
}

/** Checks the end for a start. */
export const endAfter = <End extends number | null>(start: number, end: End, place: Place): End | number => {
  if (end === null || end >= start) return end
  note(place, ENDS_EARLY)
  return start
}

/** Returns the first of these keys that has a value. */
export const keyIn = (row: JsonObject, keys: ReadonlyArray<string>): string | undefined =>
  keys.find((one) => !isMissing(row[one]))

/** Reads the time under the first of these keys that has a value. */
export const timeIn = (
  row: JsonObject,
  place: Place,
  keys: ReadonlyArray<string>,
  readTime: ReadTime = secondsAt
): number | null => {
  const key = keyIn(row, keys)
  return key === undefined ? null : readTime(row[key], at(place, key))
}

const durations = ["duration", "dur"]

/** Keys that may have an end, in an unknown form or unit. */
const unreadEnd = /^(?:end|stop|finish|until|to$|out$|dur|length|offset)/i

/**
 * Reads the end for a start: a time under one of the keys, or else the start plus a duration; null for none. Throws if another key may
 * have an end, instead of dropping it.
 */
export const endIn = (
  row: JsonObject,
  place: Place,
  start: number,
  keys: ReadonlyArray<string>,
  readTime: ReadTime = secondsAt
): number | null => {
  const end = timeIn(row, place, keys, readTime)
  if (end !== null) return endAfter(start, end, place)
  const duration = timeIn(row, place, durations, readTime)
  if (duration !== null) return wholeMicroseconds(start + duration)
  const known = new Set([...keys, ...durations])
  const unread = Object.keys(row).find((key) => !known.has(key) && unreadEnd.test(key) && isTimeLike(row[key]))
  if (unread === undefined) return null
  throw new DocumentWrong(
    place.path,
    `${place.name}.${unread.slice(0, 100)} is not read: ${ENDS_IN} ${keys.join(" or ")}`
  )
}

const ENDS_IN = "an end must be in duration or"

/** Rounds seconds to whole microseconds, so that 0.1 plus 0.2 is 0.3. */
const wholeMicroseconds = (seconds: number): number =>
  Math.min(Math.round(seconds * 1e6) / 1e6, Number.MAX_SAFE_INTEGER)

const isTimeLike = (value: Json | undefined): boolean =>
  typeof value === "number" || typeof value === "object" || (typeof value === "string" && /\d/.test(value))

/** Reads the words of a list, which count towards the maximum of the document. */
export const readWords = <Item>(
  value: Json | undefined,
  place: Place,
  read: ReadItem<Item>
): Sliced<ReadonlyArray<Item>> => {
  const words = listAt(value, place)
  place.reading.words += words.length
  if (place.reading.words > MAX_TRANSCRIPT_WORDS) throw new DocumentWrong(place.path, tooManyWords)
  return readItems(words, place, read)
}
