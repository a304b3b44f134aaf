import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { repeatFailed } from "../src/packageTests.ts"
import { root } from "../src/project.ts"
import { formatCounts, formatTable, type PackageResult, readPackageResult, sum } from "../src/reports.ts"

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
      failed: [],
      problems: [],
      passed: ["test 0", "test 1", "test 0"],
      skipped: ["test 2", "test 1"]
    })
  })

  it("contains the names of failed tests", () => {
    const result = readPackageResult(report(file("failed", "passed", "failed")), 1)
    expect(result).toMatchObject({ counts: { passed: 1, failed: 1, skipped: 0 }, failed: ["test 1"], problems: [] })
  })

  it("counts a file that did not load", () => {
    const result = readPackageResult(report(file("passed", "passed"), file("failed")), 1)
    expect(result.counts).toEqual({ passed: 1, failed: 1, skipped: 0 })
    expect(result.problems).toEqual(["/work/a.test.ts failed outside its tests"])
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

describe("the second run of a package that failed", () => {
  const crashed = readPackageResult(undefined, 134)
  const result = (statuses: Readonly<Record<string, string>>) => {
    const assertionResults = Object.entries(statuses).map(([fullName, status]) => ({ fullName, status }))
    const hasFailed = Object.values(statuses).includes("failed")
    const status = hasFailed ? "failed" : "passed"
    return readPackageResult(report({ name: "a.test.ts", status, assertionResults }), hasFailed ? 1 : 0)
  }
  const both = (first: PackageResult, second: PackageResult) =>
    repeatFailed([{ name: "domain" }], [first], async () => second).then(([tested]) => tested!)

  it("counts, and names the tests that passed only then", async () => {
    const tested = await both(result({ a: "failed", b: "failed", c: "passed" }), result({ a: "passed", b: "failed" }))
    expect(tested).toMatchObject({ counts: { passed: 1, failed: 1 }, failed: ["b"], flaky: ["a"] })
  })

  it("names none that it did not run to its end, or did not run", async () => {
    expect(await both(result({ a: "failed" }), crashed)).toMatchObject({ counts: { failed: 1 }, flaky: [] })
    expect(await both(result({ a: "failed" }), result({ a: "skipped", b: "passed" }))).toMatchObject({ flaky: [] })
  })

  it("names what failed outside of tests, if nothing fails any more", async () => {
    expect(await both(crashed, result({ a: "passed" }))).toMatchObject({ flaky: ["no report (exit code 134)"] })
    expect(await both(crashed, result({ a: "failed" }))).toMatchObject({ failed: ["a"], flaky: [] })
  })

  it("is of those packages alone, and .ci/run's alone", async () => {
    const ran: Array<string> = []
    const [passed, failed] = [result({ a: "passed" }), result({ a: "failed" })]
    const tested = await repeatFailed([{ name: "one" }, { name: "two" }], [passed, failed], async ({ name }) => {
      ran.push(name)
      return passed
    })
    expect(ran).toEqual(["two"])
    expect(tested).toMatchObject([
      { name: "one", flaky: [] },
      { name: "two", flaky: ["a"] }
    ])
    expect(readFileSync(join(root, ".ci/run"), "utf8")).toContain("npx pnpm test --repeat-failed ")
    const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
      scripts: Record<string, string>
    }
    expect(scripts.test).not.toContain("--repeat-failed")
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
