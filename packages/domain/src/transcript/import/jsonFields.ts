import type { Json, JsonObject } from "../../json.ts"
import { MAX_TRANSCRIPT_SEGMENTS, MAX_TRANSCRIPT_WORDS, tooManySegments, tooManyWords } from "./limits.ts"
import type { JsonPath } from "./placedJson.ts"
import type { Word } from "./words.ts"

/** Something in the document is not what it must be; `path` leads to the object or list that it is in. */
export class Wrong {
  readonly path: JsonPath
  readonly problem: string
  constructor(path: JsonPath, problem: string) {
    this.path = path
    this.problem = problem
  }
}

/** The name of a value in messages, and its path. */
export interface Place {
  readonly name: string
  readonly path: JsonPath
}

export const document: Place = { name: "", path: [] }

export const at = ({ name, path }: Place, key: string | number): Place => {
  const here = typeof key === "number" ? `${name}[${key}]` : name === "" ? key : `${name}.${key}`
  return { name: here, path: [...path, key] }
}

/** The path of what a value is in. */
const around = ({ path }: Place): JsonPath => path.slice(0, -1)

/** How much of what is limited over the whole document was read. */
export interface Counts {
  sentences: number
  words: number
}

/** A segment as a recognizer gives it. */
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

/** A list of objects, with their places. */
export const objectsAt = (value: Json | undefined, place: Place): ReadonlyArray<readonly [JsonObject, Place]> =>
  listAt(value, place).map((one, index) => [objectAt(one, at(place, index)), at(place, index)] as const)

/** The list of segments, of which there is a maximum number. */
export const segmentsAt = (value: Json | undefined, place: Place): ReadonlyArray<readonly [JsonObject, Place]> => {
  if (listAt(value, place).length > MAX_TRANSCRIPT_SEGMENTS) throw new Wrong(place.path, tooManySegments)
  return objectsAt(value, place)
}

export const textAt = (value: Json | undefined, place: Place): string => {
  if (typeof value !== "string") throw new Wrong(around(place), `${place.name} must be a string`)
  return value
}

/** The label of a speaker: a text or a number; null where there is none. */
export const labelAt = (value: Json | undefined, place: Place): string | null => {
  if (isMissing(value)) return null
  if (typeof value !== "string" && typeof value !== "number") {
    throw new Wrong(around(place), `${place.name} must be a string or a number`)
  }
  return String(value)
}

export const secondsAt = (seconds: Json | undefined, place: Place): number => {
  if (typeof seconds !== "number" || seconds < 0 || seconds > Number.MAX_SAFE_INTEGER) {
    throw new Wrong(around(place), `${place.name} must be seconds, from 0 on`)
  }
  return seconds
}

/** Whole milliseconds, as seconds. */
export const millisecondsAt = (ms: Json | undefined, place: Place): number => {
  if (typeof ms !== "number" || !Number.isSafeInteger(ms) || ms < 0) {
    throw new Wrong(around(place), `${place.name} must be whole milliseconds, from 0 on`)
  }
  return ms / 1000
}

export const inOrder = (start: number, end: number | null, place: Place): void => {
  if (end !== null && end < start) throw new Wrong(place.path, `${place.name} ends before it starts`)
}

/** The objects of a list of words; they count towards the maximum of the document. */
export const wordsAt = (
  value: Json | undefined,
  place: Place,
  counts: Counts
): ReadonlyArray<readonly [JsonObject, Place]> => {
  const words = listAt(value, place)
  counts.words += words.length
  if (counts.words > MAX_TRANSCRIPT_WORDS) throw new Wrong(place.path, tooManyWords)
  return objectsAt(words as Json, place)
}
