import { Result, type Schema } from "effect"
import { describe, expect, it } from "vitest"
import { duration, durationMs, parseDuration } from "../src/startDocument/duration.ts"
import { FaultOutcome, Outcome } from "../src/startDocument/outcome.ts"
import { decodeAll, pathText, problemLine } from "../src/startDocument/problems.ts"

const problemsOf = (schema: Schema.ConstraintDecoder<unknown>, value: unknown) => {
  const result = decodeAll(schema)(value)
  return Result.isSuccess(result)
    ? []
    : result.failure.map(({ message, path }) => problemLine({ path: pathText(path), message }))
}

describe("durations", () => {
  it.each([
    ["PT0S", 0],
    ["PT30S", 30_000],
    ["PT1M30S", 90_000],
    ["PT2H", 7_200_000],
    ["PT14H36M", 52_560_000],
    ["P1D", 86_400_000],
    ["P1DT1H", 90_000_000],
    ["P2W", 1_209_600_000],
    ["PT0.5S", 500],
    ["PT0,25S", 250],
    ["PT0.001S", 1],
    ["PT1.5M", 90_000],
    ["P0.5D", 43_200_000],
    ["PT36H", 129_600_000],
    [0, 0],
    [15, 15]
  ])("%s is %i ms", (written, ms) => {
    expect(parseDuration(written)).toBe(ms)
    expect(durationMs(written)).toBe(ms)
    expect(problemsOf(duration("A duration."), written)).toEqual([])
  })

  it.each([
    "",
    "P",
    "PT",
    "P1DT",
    "1m",
    "PT1",
    "pt1m",
    "PT1M30",
    "-PT1M",
    "PT-1M",
    "P1Y",
    "P1M",
    "PT1.5M30S",
    "PT1S1M",
    " PT1S",
    -1,
    1.5,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    2 ** 53,
    "PT9007199254741S",
    null,
    true,
    {}
  ])("%j is none", (written) => {
    const message = "must be an ISO 8601 duration such as PT30S, or a whole number of milliseconds"
    expect(problemsOf(duration("A duration."), written)).toEqual([message])
    if (typeof written === "string" || typeof written === "number") {
      expect(parseDuration(written)).toBeUndefined()
      expect(() => durationMs(written)).toThrow(RangeError)
    }
  })
})

const notAnOutcome = 'must be a status, "timeout", "reset", "refused", "dns", "tls", or an object with a status'

describe("outcomes", () => {
  it.each([
    200,
    599,
    "timeout",
    "reset",
    "refused",
    "dns",
    "tls",
    { status: 503 },
    { status: 204, body: "" },
    { status: 200, headers: { "Retry-After": "5" }, body: "no", after: "PT2S" },
    { status: 200, after: 1500 }
  ])("a sink can have %j, which comes back as given", (outcome) => {
    expect(decodeAll(Outcome)(outcome)).toEqual(Result.succeed(outcome))
  })

  it.each([
    [99, ["must be a status from 200 to 599"]],
    [100, ["must be a status from 200 to 599"]],
    [600, ["must be a status from 200 to 599"]],
    [200.5, ["must be a status from 200 to 599"]],
    ["explode", [notAnOutcome]],
    [null, [notAnOutcome]],
    [[200], [notAnOutcome]],
    [{}, ["status: is required"]],
    [{ status: "200" }, ["status: must be a status from 200 to 599"]],
    [{ status: 200, delay: 5 }, ["delay: unknown key"]],
    [
      { status: 200, after: "soon" },
      ["after: must be an ISO 8601 duration such as PT30S, or a whole number of milliseconds"]
    ],
    [{ status: 200, body: { a: 1 } }, ["body: must be a string"]],
    [{ status: 204, body: "x" }, ["body: a response with status 204 has no body"]],
    [
      { status: 200, headers: { "a b": "c", Connection: "close" } },
      [
        'headers["a b"]: is not a valid header name',
        "headers.Connection: is set by the service and cannot be a custom header"
      ]
    ]
  ])("a sink cannot have %j", (outcome, problems) => {
    expect(problemsOf(Outcome, outcome)).toEqual(problems)
  })

  it("a fault takes a status, a reset or a response, and no time", () => {
    for (const outcome of [503, "reset", { status: 503, headers: {}, body: "down" }]) {
      expect(decodeAll(FaultOutcome)(outcome)).toEqual(Result.succeed(outcome))
    }
    expect(problemsOf(FaultOutcome, "timeout")).toEqual(['must be a status, "reset", or an object with a status'])
    expect(problemsOf(FaultOutcome, { status: 503, after: "PT1S" })).toEqual(["after: unknown key"])
  })
})
