import { MAX_JSON_DEPTH } from "../../json.ts"
import type { Sliced } from "../../slices.ts"
import { type Problem, problemAt } from "./problem.ts"

/** A place in a JSON value, from its root: keys of objects and indexes of lists. */
export type JsonPath = ReadonlyArray<string | number>

interface Cursor {
  readonly text: string
  /** Offset of the wanted value; 0 until it is found. */
  found: number
  at: number
  /** Offset of the last pause. */
  paused: number
}

/** Number of characters between two pauses. */
const charactersAtOnce = 64 * 1024

/** Thrown to stop the scan. It does not leave this module. */
class Stop {
  readonly at: number
  readonly problem: string
  constructor(at: number, problem: string) {
    this.at = at
    this.problem = problem
  }
}

/**
 * Returns the problem at `path` with line and column, or the first position at which the text is not JSON (RFC 8259). Scans the text
 * without building values, so that memory does not grow with the text.
 */
export function* placedProblem(text: string, path: JsonPath, problem: string): Sliced<Problem> {
  const cursor: Cursor = { text, found: 0, at: text.startsWith("\uFEFF") ? 1 : 0, paused: 0 }
  try {
    if (!scansScalar(cursor, 0, path)) yield* scanItems(cursor, 0, path)
    skipBlanks(cursor)
    if (cursor.at < text.length) throw new Stop(cursor.at, "nothing may follow here")
    return problemAt(text, cursor.found, problem)
  } catch (stop) {
    if (!(stop instanceof Stop)) throw stop
    return problemAt(text, stop.at, stop.problem)
  }
}

/**
 * Scans a value that is neither an object nor a list. `path` is the path from this value to the wanted one; undefined if this value does
 * not contain it.
 */
const scansScalar = (cursor: Cursor, depth: number, path: JsonPath | undefined): boolean => {
  skipBlanks(cursor)
  if (depth > MAX_JSON_DEPTH) throw new Stop(cursor.at, `JSON may be nested at most ${MAX_JSON_DEPTH} deep`)
  if (path?.length === 0) cursor.found = cursor.at
  switch (cursor.text[cursor.at]) {
    case "{":
    case "[":
      return false
    case '"':
      scanString(cursor)
      return true
    default:
      if (!accepts(cursor, scalar)) throw new Stop(cursor.at, "a JSON value must stand here")
      return true
  }
}

const below = (path: JsonPath | undefined, key: string | number): JsonPath | undefined =>
  path !== undefined && path.length > 0 && path[0] === key ? path.slice(1) : undefined

/** Scans an object or a list. */
function* scanItems(cursor: Cursor, depth: number, path: JsonPath | undefined): Sliced<void> {
  const isObject = cursor.text[cursor.at] === "{"
  const end = isObject ? "}" : "]"
  cursor.at++
  if (takes(cursor, end)) return
  let index = 0
  do {
    if (cursor.at - cursor.paused >= charactersAtOnce) {
      yield cursor.at - cursor.paused
      cursor.paused = cursor.at
    }
    const rest = isObject ? scanKey(cursor, path) : below(path, index++)
    if (!scansScalar(cursor, depth + 1, rest)) yield* scanItems(cursor, depth + 1, rest)
  } while (takes(cursor, ","))
  expect(cursor, end)
}

/** Scans a key with its colon. Returns the path below it. */
const scanKey = (cursor: Cursor, path: JsonPath | undefined): JsonPath | undefined => {
  skipBlanks(cursor)
  const start = cursor.at
  if (cursor.text[start] !== '"') throw new Stop(start, "a key in quotes must stand here")
  scanString(cursor)
  // A key is decoded only where it may lead to the value that is looked for.
  const rest = path === undefined ? undefined : below(path, JSON.parse(cursor.text.slice(start, cursor.at)) as string)
  expect(cursor, ":")
  return rest
}

/** `NaN` and `Infinity` are read as missing values. */
const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|-?Infinity|NaN|true|false|null/y
const blanks = /[ \t\n\r]+/y

/** Scans a string by code units, because a long string may be mostly escapes, and a pattern for each takes ten times as long. */
const scanString = (cursor: Cursor): void => {
  const { text, at: start } = cursor
  for (let at = start + 1; ; ) {
    const unit = text.charCodeAt(at)
    if (unit === quote) {
      cursor.at = at + 1
      return
    }
    const length = unit === backslash ? escapeLength(text, at + 1) : unit >= space ? 1 : 0
    if (length === 0) throw new Stop(start, "this string is not closed, or not valid")
    at += length
  }
}

const [quote, backslash, space] = [0x22, 0x5c, 0x20]

/** Returns the length of an escape with its backslash; 0 if it is invalid. */
const escapeLength = (text: string, at: number): number => {
  const letter = text[at]
  if (letter === undefined) return 0
  if (letter !== "u") return '"\\/bfnrt'.includes(letter) ? 2 : 0
  for (let digit = at + 1; digit <= at + 4; digit++) if (!isHexDigit(text.charCodeAt(digit))) return 0
  return 6
}

const isHexDigit = (unit: number): boolean =>
  (unit >= 0x30 && unit <= 0x39) || (unit >= 0x41 && unit <= 0x46) || (unit >= 0x61 && unit <= 0x66)

const accepts = (cursor: Cursor, pattern: RegExp): boolean => {
  pattern.lastIndex = cursor.at
  if (!pattern.test(cursor.text)) return false
  cursor.at = pattern.lastIndex
  return true
}

const skipBlanks = (cursor: Cursor): void => {
  accepts(cursor, blanks)
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
