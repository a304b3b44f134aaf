import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { eventOfLine, importedLog, type NetworkEvent } from "../../src/capture/index.ts"
import { atOnce } from "../../src/slices.ts"

const entry = (changes: object = {}, response: object = {}) => ({
  startedDateTime: "2026-01-01T10:00:00.000Z",
  time: 5,
  request: { method: "GET", url: "https://a.test/x", headers: [] },
  response: { status: 200, headers: [], content: { text: "ok" }, ...response },
  ...changes
})
const har = (entries: ReadonlyArray<unknown>, pages?: unknown) => JSON.stringify({ log: { pages, entries } })

const read = (text: string) => {
  const { log, repairs } = Result.getOrThrow(atOnce(importedLog(text, null)))
  return { events: log.lines.map(eventOfLine) as ReadonlyArray<NetworkEvent>, repairs }
}
const problemOf = (text: string) => Result.getOrThrow(Result.flip(atOnce(importedLog(text, null)))).problem

/** A HAR whose second entry is odd, between two that are not. */
const withOdd = (odd: unknown) => read(har([entry(), odd, entry()]))

describe("an odd item of a HAR costs nothing but itself", () => {
  it.each([
    [
      "a body with NUL",
      entry({}, { content: { text: "a\0b" } }),
      { response_body: "a\uFFFDb" },
      "response.content.text"
    ],
    [
      "a body with half a surrogate pair",
      entry({}, { content: { text: "a\ud83d" } }),
      { response_body: "a\uFFFD" },
      "response.content.text"
    ],
    [
      "a header null",
      entry({}, { headers: [null, { name: "A", value: "b" }] }),
      { response_headers: { a: "b" } },
      "response.headers[0]"
    ],
    [
      "a header without a name",
      entry({}, { headers: [{ value: "x" }, { name: "A", value: "b" }] }),
      { response_headers: { a: "b" } },
      "response.headers[0]"
    ],
    [
      "a header whose value is null",
      entry({}, { headers: [{ name: "A", value: null }] }),
      { response_headers: { a: "" } },
      null
    ],
    ["an object for headers", entry({}, { headers: { a: "b" } }), { response_headers: {} }, "response.headers"],
    ['an encoding of ""', entry({}, { content: { text: "x", encoding: "" } }), { response_body: "x" }, null],
    ["an encoding null", entry({}, { content: { text: "x", encoding: null } }), { response_body: "x" }, null],
    ["a body null", entry({}, { content: { text: null } }), { status: 200 }, null],
    [
      "no content and no request body",
      entry({ request: { method: "GET", url: "https://a.test/x", postData: null } }, { content: null }),
      { status: 200 },
      null
    ],
    ["no response", entry({ response: null }), { status: 0 }, null],
    ["a status that is none", entry({}, { status: "200" }), { status: 0 }, "response.status"]
  ])("%s", (_, odd, expected, repaired) => {
    const { events, repairs } = withOdd(odd)
    expect(events).toHaveLength(3)
    expect(events[1]).toMatchObject(expected)
    expect(repairs.first.map(({ where }) => where)).toEqual(repaired === null ? [] : [`log.entries[1].${repaired}`])
  })

  it("is left out if it has no request, no time, or is no object, and the answer says so", () => {
    const { events, repairs } = read(
      har([entry(), null, 7, entry({ request: null }), entry({ startedDateTime: "now" })])
    )
    expect(events).toHaveLength(1)
    expect(repairs.count).toBe(4)
    expect(repairs.first).toContainEqual({
      where: "log.entries[4]",
      repair: "Left out: log.entries[4].startedDateTime must be an ISO 8601 timestamp with a time zone"
    })
  })

  it("is left out if it is not JSON by itself, and read if only a number is NaN, as Python writes it", () => {
    const good = JSON.stringify(entry())
    const { events, repairs } = read(
      `{"log":{"entries":[${good},{"a":tru},${good.replace('"time":5', '"time":NaN')}]}}`
    )
    expect(events.map(({ duration_ms }) => duration_ms)).toEqual([5, 0])
    expect(repairs.first).toEqual([
      { where: "log.entries[1]", repair: "Left out: log.entries[1] is not JSON" },
      { where: "log.entries[2]", repair: "NaN and Infinity became null" }
    ])
  })

  it("is left out if it has more than 50,000 values", () => {
    const of = (values: number) => ({ ...entry(), _odd: Array(values).fill(0) })
    const base = JSON.stringify(of(0)).match(/[[{,]/g)!.length + 1
    // A list of n values has n - 1 separators.
    expect(withOdd(of(50_000 - base + 1)).events).toHaveLength(3)
    expect(withOdd(of(50_000 - base + 2)).events).toHaveLength(2)
  })

  it("is a page that is left out beside others", () => {
    const page = { startedDateTime: "2026-01-01T09:00:00.000Z", title: "https://a.test/" }
    const { events, repairs } = read(har([entry()], [null, page]))
    expect([events.length, repairs.first.map(({ where }) => where)]).toEqual([1, ["log.pages[0]"]])
  })

  it("is counted, and the first 20 are named", () => {
    const { repairs } = read(har([entry(), ...Array(30).fill(null)]))
    expect([repairs.count, repairs.first.length]).toEqual([30, 20])
  })
})

describe("a HAR is refused by name", () => {
  it.each([
    [har([null, 7]), "log.entries[0] must be an object"],
    ["[\n]", "the file must be an object"],
    ['{"log":1}', "log must be an object"],
    ['{"log":{}}', "log.entries must be a list"],
    ["{}x", "this is neither a capture log nor HAR: it is not JSON"],
    [`${har([entry()])}]`, "this is neither a capture log nor HAR: it is not JSON"],
    [har([entry()]).slice(0, -2), "this is neither a capture log nor HAR: it is not JSON"],
    ['{"log":{"entries":[{},]}}', "this is neither a capture log nor HAR: it is not JSON"],
    ['{"log":{"entries":["', "this is neither a capture log nor HAR: it is not JSON"]
  ])("%s", (text, problem) => {
    expect(problemOf(text)).toBe(problem)
  })

  it("with more than 200,000 pages and entries, before they are read", () => {
    expect(problemOf(`{"log":{"entries":[${"1,".repeat(199_999)}1]}}`)).toBe("log.entries[0] must be an object")
    expect(problemOf(`{"log":{"entries":[${"1,".repeat(200_000)}1]}}`)).toBe(
      "a HAR file has at most 200000 pages and entries"
    )
  })
})

describe("a HAR is read in slices", () => {
  it.each([
    ["brackets", `{"log":{"x":${"[".repeat(2_000_000)}`],
    ["quotes", `{"log":{"x":[${'"\\\\",'.repeat(500_000)}`],
    ["small values", `{"log":{"x":[${"[],".repeat(700_000)}1]}}`],
    ["entries", har(Array(20_000).fill(entry()))]
  ])("of %s", (_, text) => {
    const work = importedLog(text, null)
    let longest = 0
    let slices = 0
    for (let step = work.next(); step.done !== true; step = work.next()) {
      slices++
      longest = Math.max(longest, step.value)
    }
    expect(slices).toBeGreaterThan(10)
    expect(longest).toBeLessThan(4 * 1024 * 1024)
  })
})
