import { describe, expect, it } from "vitest"
import { formatCounts, formatTable, passedOnlyThen, readPackageResult, sum } from "../src/reports.ts"

const file = (status: string, ...tests: ReadonlyArray<string>) => ({
  name: "/work/a.test.ts",
  status,
  assertionResults: tests.map((each, index) => ({ status: each, fullName: `test ${index}` }))
})

const report = (...testResults: ReadonlyArray<unknown>) => JSON.stringify({ testResults })

describe("a package's result", () => {
  it("is the sum of its files", () => {
    const text = report(file("passed", "passed", "passed", "skipped"), file("passed", "passed", "todo"))
    expect(readPackageResult(text, 0)).toEqual({
      counts: { passed: 3, failed: 0, skipped: 2 },
      failures: [],
      skipped: ["test 2", "test 1"]
    })
  })

  it("contains the names of failed tests", () => {
    const result = readPackageResult(report(file("failed", "passed", "failed")), 1)
    expect(result).toEqual({ counts: { passed: 1, failed: 1, skipped: 0 }, failures: ["test 1"], skipped: [] })
  })

  it("counts a file that did not load", () => {
    const result = readPackageResult(report(file("passed", "passed"), file("failed")), 1)
    expect(result.counts).toEqual({ passed: 1, failed: 1, skipped: 0 })
    expect(result.failures).toEqual(["/work/a.test.ts failed outside its tests"])
  })

  it("counts a failure that no test names, like an unhandled rejection", () => {
    expect(readPackageResult(report(file("passed", "passed")), 1).counts).toEqual({ passed: 1, failed: 1, skipped: 0 })
  })

  it("counts a crash without a report, and a task that never ran", () => {
    expect(readPackageResult(undefined, 134).counts).toEqual({ passed: 0, failed: 1, skipped: 0 })
    expect(readPackageResult(undefined, 0).counts.failed).toBe(1)
    expect(readPackageResult(report(file("passed", "passed")), undefined).counts).toMatchObject({
      passed: 0,
      failed: 1
    })
  })
})

describe("two runs of a package", () => {
  const failing = (...failures: ReadonlyArray<string>) => ({
    counts: { passed: 3, failed: failures.length, skipped: 0 },
    failures,
    skipped: []
  })

  it("names what failed in the first alone as flaky", () => {
    expect(passedOnlyThen(failing("a", "b"), failing())).toEqual(["a", "b"])
    expect(passedOnlyThen(failing("a", "b"), failing("b", "c"))).toEqual(["a"])
  })
})

describe("the last line", () => {
  it("says passed and failed, and skipped if there are any", () => {
    expect(formatCounts({ passed: 12, failed: 0, skipped: 0 })).toBe("12 passed, 0 failed")
    expect(formatCounts({ passed: 12, failed: 3, skipped: 1 })).toBe("12 passed, 3 failed, 1 skipped")
  })

  it("sums the results of all packages", () => {
    const counts = { passed: 1, failed: 2, skipped: 3 }
    expect(sum([counts, counts])).toEqual({ passed: 2, failed: 4, skipped: 6 })
    expect(sum([])).toEqual({ passed: 0, failed: 0, skipped: 0 })
  })

  it("follows a table in columns", () => {
    const counts = { passed: 10, failed: 0, skipped: 0 }
    const widths = formatTable([
      ["build", { ...counts, passed: 1 }],
      ["@tapedeck/domain", counts]
    ])
    expect(new Set(widths.split("\n").map((line) => line.length)).size).toBe(1)
  })
})
