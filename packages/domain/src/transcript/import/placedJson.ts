import * as Result from "effect/Result"
import { type Json, MAX_JSON_DEPTH } from "../../json.ts"
import { problemAt, type TranscriptUnreadable } from "./problem.ts"

/** JSON, and where in the text each of its objects and arrays begins. */
export interface PlacedJson {
  readonly value: Json
  readonly offsetOf: (value: unknown) => number
}

interface Cursor {
  readonly text: string
  readonly offsets: Map<unknown, number>
  at: number
}

/** What breaks the reading off; it does not leave this file. */
class Stop {
  readonly at: number
  readonly problem: string
  constructor(at: number, problem: string) {
    this.at = at
    this.problem = problem
  }
}

/** Reads a JSON text (RFC 8259) so that what is wrong with it, or with what it says, can be told by line and column. */
export const parsePlacedJson = (text: string): Result.Result<PlacedJson, TranscriptUnreadable> => {
  // Its offsets must be the text's: a byte order mark is a blank.
  const cursor: Cursor = { text: text.replace(/^\uFEFF/, " "), offsets: new Map(), at: 0 }
  try {
    const value = readValue(cursor, 0)
    skipBlanks(cursor)
    if (cursor.at < text.length) throw new Stop(cursor.at, "nothing may follow here")
    return Result.succeed({ value, offsetOf: (part) => cursor.offsets.get(part) ?? 0 })
  } catch (stop) {
    if (!(stop instanceof Stop)) throw stop
    return Result.fail(problemAt(text, stop.at, stop.problem))
  }
}

const readValue = (cursor: Cursor, depth: number): Json => {
  skipBlanks(cursor)
  if (depth > MAX_JSON_DEPTH) throw new Stop(cursor.at, `JSON may be nested at most ${MAX_JSON_DEPTH} deep`)
  switch (cursor.text[cursor.at]) {
    case "{":
      return readObject(cursor, depth)
    case "[":
      return readArray(cursor, depth)
    default:
      return readScalar(cursor)
  }
}

const readObject = (cursor: Cursor, depth: number): Json => {
  const entries: Array<readonly [string, Json]> = []
  const start = cursor.at++
  if (!takes(cursor, "}")) {
    do {
      skipBlanks(cursor)
      const at = cursor.at
      const key = cursor.text[at] === '"' ? readScalar(cursor) : null
      if (typeof key !== "string") throw new Stop(at, "a key in quotes must stand here")
      expect(cursor, ":")
      entries.push([key, readValue(cursor, depth + 1)])
    } while (takes(cursor, ","))
    expect(cursor, "}")
  }
  const value = Object.fromEntries(entries)
  cursor.offsets.set(value, start)
  return value
}

const readArray = (cursor: Cursor, depth: number): Json => {
  const value: Array<Json> = []
  cursor.offsets.set(value, cursor.at++)
  if (takes(cursor, "]")) return value
  do value.push(readValue(cursor, depth + 1))
  while (takes(cursor, ","))
  expect(cursor, "]")
  return value
}

const scalar =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids them in strings
  /"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y

const readScalar = (cursor: Cursor): string | number | boolean | null => {
  scalar.lastIndex = cursor.at
  const match = scalar.exec(cursor.text)
  if (match === null) {
    const isString = cursor.text[cursor.at] === '"'
    throw new Stop(cursor.at, isString ? "this string is not closed, or not valid" : "a JSON value must stand here")
  }
  cursor.at = scalar.lastIndex
  return JSON.parse(match[0])
}

const skipBlanks = (cursor: Cursor): void => {
  while (/[ \t\n\r]/.test(cursor.text[cursor.at] ?? "")) cursor.at++
}

const takes = (cursor: Cursor, mark: string): boolean => {
  skipBlanks(cursor)
  if (cursor.text[cursor.at] !== mark) return false
  cursor.at++
  return true
}

const expect = (cursor: Cursor, mark: string): void => {
  if (!takes(cursor, mark)) throw new Stop(cursor.at, `"${mark}" must stand here`)
}
