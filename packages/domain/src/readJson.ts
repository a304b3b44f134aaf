import * as Result from "effect/Result"
import { endOfString, MAX_JSON_DEPTH } from "./json.ts"
import type { Sliced } from "./slices.ts"

/** Maximum number of keys of one object. */
export const MAX_JSON_KEYS = 20_000

/** Maximum number of values in a text: members, items, objects and arrays. An empty object or array counts twice. */
export const MAX_JSON_VALUES = 2_000_000

export const NOT_JSON = "is not valid JSON"
export const JSON_TOO_DEEP = `may be nested at most ${MAX_JSON_DEPTH} deep`
export const TOO_MANY_JSON_KEYS = `may have at most ${MAX_JSON_KEYS} keys in an object`
export const TOO_MANY_JSON_VALUES = `may have at most ${MAX_JSON_VALUES} values`

/** Reason why a text cannot be read, worded to continue a sentence about the text. */
export type JsonProblem =
  | typeof NOT_JSON
  | typeof JSON_TOO_DEEP
  | typeof TOO_MANY_JSON_KEYS
  | typeof TOO_MANY_JSON_VALUES

/** Maximum number of characters that are parsed at once. `JSON.parse` takes about a millisecond for any such text, and no object in it has too many keys. */
const maxCharactersAtOnce = 64 * 1024

/**
 * Reads JSON in slices, and returns the same value as `JSON.parse`, which parses parts of 64 Ki characters, and each string, at once. For
 * a longer text, the depth is limited, too.
 */
export function* readJson(json: string): Sliced<Result.Result<unknown, JsonProblem>> {
  const text = json.startsWith("\uFEFF") ? json.slice(1) : json
  try {
    if (text.length <= maxCharactersAtOnce) {
      yield text.length
      return Result.succeed(parse(text))
    }
    const root = yield* outline(text)
    return Result.succeed(root === undefined ? parse(text) : yield* build(text, root))
  } catch (refused) {
    if (!(refused instanceof Refused)) throw refused
    return Result.fail(refused.problem)
  }
}

/** Thrown to stop reading. It does not leave this module. */
class Refused {
  readonly problem: JsonProblem
  constructor(problem: JsonProblem) {
    this.problem = problem
  }
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw new Refused(NOT_JSON)
  }
}

/** An object or array that is too long to be parsed at once. */
interface Long {
  readonly start: number
  /** Position after the closing bracket. */
  readonly end: number
  /** Positions of the commas at which it is divided. A part between two commas has at most one long value, and is short otherwise. */
  readonly cuts: ReadonlyArray<number>
  /** Long values within it, in order. */
  readonly inner: ReadonlyArray<Long>
}

/** An object or array whose end has not been read yet. */
class Open {
  readonly start: number
  readonly isObject: boolean
  readonly cuts: Array<number> = []
  readonly inner: Array<Long> = []
  private commas = 0
  private lastComma: number
  private lastCut: number
  private isCutNext = false

  constructor(start: number, isObject: boolean) {
    this.start = start
    this.isObject = isObject
    this.lastComma = start
    this.lastCut = start
  }

  comma(at: number) {
    this.commas++
    if (this.isObject && this.commas >= MAX_JSON_KEYS) throw new Refused(TOO_MANY_JSON_KEYS)
    this.lastComma = at
    if (this.isCutNext || at - this.lastCut >= maxCharactersAtOnce) this.cut(at)
    this.isCutNext = false
  }

  /** Adds a long value, which gets its own part. */
  add(long: Long) {
    if (this.lastComma > this.lastCut) this.cut(this.lastComma)
    this.inner.push(long)
    this.isCutNext = true
  }

  private cut(at: number) {
    this.cuts.push(at)
    this.lastCut = at
  }
}

const codes = {
  quote: 0x22,
  comma: 0x2c,
  openArray: 0x5b,
  closeArray: 0x5d,
  openObject: 0x7b,
  closeObject: 0x7d
}

/** Returns the long parts of the text; undefined if its value is neither an object nor an array. */
function* outline(text: string): Sliced<Long | undefined> {
  const open: Array<Open> = []
  let root: Long | undefined
  let paused = 0
  let values = 1
  for (let at = 0; at < text.length; at++) {
    if (at - paused >= maxCharactersAtOnce) {
      yield at - paused
      paused = at
    }
    const code = text.charCodeAt(at)
    if (code === codes.quote) {
      at = endOfString(text, at)
      if (at === text.length) throw new Refused(NOT_JSON)
    } else if (code === codes.comma) {
      if (++values > MAX_JSON_VALUES) throw new Refused(TOO_MANY_JSON_VALUES)
      open.at(-1)?.comma(at)
    } else if (code === codes.openObject || code === codes.openArray) {
      if (root !== undefined) throw new Refused(NOT_JSON)
      if (open.length === MAX_JSON_DEPTH) throw new Refused(JSON_TOO_DEEP)
      if (++values > MAX_JSON_VALUES) throw new Refused(TOO_MANY_JSON_VALUES)
      open.push(new Open(at, code === codes.openObject))
    } else if (code === codes.closeObject || code === codes.closeArray) {
      const { cuts, inner, isObject, start } = open.pop() ?? refuse()
      if (isObject !== (code === codes.closeObject)) throw new Refused(NOT_JSON)
      const long: Long = { start, end: at + 1, cuts, inner }
      const around = open.at(-1)
      if (around === undefined) root = long
      else if (long.end - start > maxCharactersAtOnce) around.add(long)
    }
  }
  if (open.length > 0) throw new Refused(NOT_JSON)
  return root
}

const refuse = (): never => {
  throw new Refused(NOT_JSON)
}

const isBlank = (text: string): boolean => /^[ \t\n\r]*$/.test(text)

/** Builds the value of the whole text. */
function* build(text: string, root: Long): Sliced<unknown> {
  if (!isBlank(text.slice(0, root.start)) || !isBlank(text.slice(root.end))) throw new Refused(NOT_JSON)
  return yield* valueOf(text, root)
}

function* valueOf(text: string, { cuts, end, inner, start }: Long): Sliced<unknown> {
  const isObject = text.charCodeAt(start) === codes.openObject
  const items: Array<unknown> = []
  const object: Record<string, unknown> = {}
  let next = 0
  for (const [index, to] of [...cuts, end - 1].entries()) {
    const from = (cuts[index - 1] ?? start) + 1
    const long = inner[next]
    if (long !== undefined && long.end <= to) {
      next++
      const before = text.slice(from, long.start)
      if (!isBlank(text.slice(long.end, to))) throw new Refused(NOT_JSON)
      const value = yield* valueOf(text, long)
      if (isObject) set(object, keyOf(before), value)
      else if (isBlank(before)) items.push(value)
      else throw new Refused(NOT_JSON)
      continue
    }
    yield to - from
    const part = text.slice(from, to)
    // An empty part would be read as no value, but there is a comma beside it.
    if (cuts.length > 0 && isBlank(part)) throw new Refused(NOT_JSON)
    if (isObject) for (const [key, value] of Object.entries(parse(`{${part}}`) as object)) set(object, key, value)
    else for (const value of parse(`[${part}]`) as ReadonlyArray<unknown>) items.push(value)
  }
  return isObject ? object : items
}

/** Sets a key like `JSON.parse`: `__proto__` is an ordinary key. */
const set = (object: Record<string, unknown>, key: string, value: unknown) => {
  if (key === "__proto__")
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true })
  else object[key] = value
}

/** Returns the key of a member from the text before its value. */
const keyOf = (before: string): string => {
  const keys = Object.keys(parse(`{${before}0}`) as object)
  const [key] = keys
  return keys.length === 1 && key !== undefined && before.trimEnd().endsWith(":") ? key : refuse()
}
