import * as Result from "effect/Result"
import { describe, expect, test } from "vitest"
import { MAX_JSON_DEPTH } from "../src/json.ts"
import {
  JSON_TOO_DEEP,
  MAX_JSON_KEYS,
  MAX_JSON_VALUES,
  NOT_JSON,
  readJson,
  TOO_MANY_JSON_KEYS,
  TOO_MANY_JSON_VALUES
} from "../src/readJson.ts"
import { atOnce } from "../src/slices.ts"

const read = (text: string) => atOnce(readJson(text))

/** The longest part that was read at once, in characters. */
const longestStep = (text: string): number => {
  const work = readJson(text)
  let longest = 0
  for (let step = work.next(); step.done !== true; step = work.next()) longest = Math.max(longest, step.value)
  return longest
}

/** A source of whole numbers below a bound, the same in each run. */
const numbers = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    return (state >>> 8) % below
  }
}

const someValue = (below: (bound: number) => number, depth = 0): unknown => {
  const kind = below(depth > 3 ? 4 : 8)
  if (kind === 0) return below(1_000_000) - 500_000
  if (kind === 1) return '\\"[]{},:\n'.repeat(below(300))
  if (kind === 2) return null
  if (kind === 3) return "é".repeat(below(30))
  if (kind < 6) return Array.from({ length: below(24) }, () => someValue(below, depth + 1))
  return Object.fromEntries(
    Array.from({ length: below(20) }, (_, n) => [below(9) === 0 ? "__proto__" : `k"${n}`, someValue(below, depth + 1)])
  )
}

const parsed = (text: string): Result.Result<unknown, typeof NOT_JSON> => {
  try {
    return Result.succeed(JSON.parse(text))
  } catch {
    return Result.fail(NOT_JSON)
  }
}

const textOf = (result: Result.Result<unknown, string>): string =>
  Result.isSuccess(result) ? JSON.stringify(result.success) : result.failure

describe("readJson", () => {
  test("reads what JSON.parse reads, and refuses what it refuses, in texts of any length", () => {
    const below = numbers(20_261_128)
    let long = 0
    for (let nth = 0; nth < 60; nth++) {
      const text = JSON.stringify(someValue(below), null, below(3))
      if (text.length > 64 * 1024) long++
      const changed = Array.from({ length: 4 }, () => {
        const at = below(text.length)
        const by = '[]{},:"\\1 '[below(10)] ?? ""
        return text.slice(0, at) + (below(2) === 0 ? by : "") + text.slice(at + 1)
      })
      for (const each of [text, ...changed]) expect(textOf(read(each))).toBe(textOf(parsed(each)))
    }
    expect(long).toBeGreaterThan(10)
  })

  const filler = "[0,0],".repeat(20_000)

  test.each([
    ["two values", `[${filler}0] []`],
    ["a value and text", `[${filler}0] x`],
    ["text and a value", `x [${filler}0]`],
    ["an empty part", `[${filler}${" ".repeat(70_000)},${filler}0]`],
    ["a long value without a comma", `[[${filler}0] 1]`],
    ["a long value behind a value", `[1 [${filler}0]]`],
    ["a long value without its key", `{"a":1,[${filler}0]}`],
    ["a long value without a colon", `{"a" [${filler}0]}`],
    ["a long value behind two keys", `{"a":1,"b":"c":[${filler}0]}`],
    ["brackets that cross", `[${filler}{"a":[0}]]`],
    ["an unended string", `[${filler}"a]`],
    ["an unended array", `[${filler}`]
  ])("refuses %s in a long text", (_, text) => {
    expect(read(text)).toEqual(Result.fail(NOT_JSON))
    expect(parsed(text)).toEqual(Result.fail(NOT_JSON))
  })

  test("takes objects with as many keys as are allowed, and refuses one more", () => {
    const keys = (count: number) => `{${Array.from({ length: count }, (_, n) => `"k${n}":0`).join(",")}}`
    expect(Object.keys((read(keys(MAX_JSON_KEYS)) as { success: object }).success)).toHaveLength(MAX_JSON_KEYS)
    expect(read(keys(MAX_JSON_KEYS + 1))).toEqual(Result.fail(TOO_MANY_JSON_KEYS))
  })

  test("takes as many values as are allowed, text in strings not counted, and refuses one more", () => {
    const values = (count: number) => `["[{,",${"7,".repeat(count - 4)}{"a":7}]`
    expect(Result.isSuccess(read(values(MAX_JSON_VALUES)))).toBe(true)
    expect(read(values(MAX_JSON_VALUES + 1))).toEqual(Result.fail(TOO_MANY_JSON_VALUES))
  })

  test("takes a long text as deep as is allowed, and refuses one level more", () => {
    const nested = (depth: number) => `[${filler}${"[".repeat(depth - 1)}${"]".repeat(depth - 1)}]`
    expect(Result.isSuccess(read(nested(MAX_JSON_DEPTH)))).toBe(true)
    expect(read(nested(MAX_JSON_DEPTH + 1))).toEqual(Result.fail(JSON_TOO_DEEP))
  })

  test("reads at most 128 Ki characters of short values at once", () => {
    const object = `{${Array.from({ length: 15_000 }, (_, n) => `"key${n}":[${n}]`).join(",")}}`
    for (const text of [`[${"0,".repeat(1_000_000)}0]`, `[${filler.repeat(10)}0]`, `[${object},${object}]`])
      expect(longestStep(text)).toBeLessThanOrEqual(128 * 1024)
  })
})
