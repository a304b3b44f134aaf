import { describe, expect, it } from "vitest"
import { checkLedger } from "../src/ledger/checkLedger.ts"
import { unconfirmedProofs } from "../src/ledger/confirmLedger.ts"
import { type Ledger, ledgerFile, ledgerPage, type Row, readLedger } from "../src/ledger/Ledger.ts"
import { renderLedger } from "../src/ledger/render.ts"
import { specification } from "../src/ledger/specification.ts"
import { testTitles } from "../src/ledger/testTitles.ts"
import { parseSource } from "../src/syntax.ts"

const file = "packages/core/test/a.test.ts"
const source = `
  import { test, describe, it } from "vitest"
  describe("a group", () => {
    test("one %s is 100%", () => {})
    test.each([1])("row %i: $name.first", () => {})
    it.effect("an effect", () => {})
    it(\`in backticks\`, () => {})
  })
  other("no test", () => {})
`

/** A ledger of everything that is required, each row proved by the same test. */
const whole = (change: (row: Row) => Row = (row) => row): Ledger => ({
  rows: specification.flatMap(({ title, rows }) =>
    rows.map((id) =>
      change({
        id,
        section: title,
        status: "specified",
        setting: null,
        text: "It does.",
        tests: [{ file, title: "an effect" }]
      })
    )
  )
})

const problems = (ledger: Ledger, page = renderLedger(ledger)) => {
  const files: Readonly<Record<string, string>> = {
    [ledgerFile]: JSON.stringify(ledger, null, 2),
    [ledgerPage]: page,
    [file]: source
  }
  return checkLedger((path) => files[path])
}
const onlyN3 = (change: Partial<Row>) => whole((row) => (row.id === "N3" ? { ...row, ...change } : row))

describe("the fidelity ledger", () => {
  it("has no findings if it is complete", () => {
    expect(problems(whole())).toEqual([])
  })

  it("must exist, and contain every row of the specification", () => {
    expect(checkLedger(() => undefined)).toMatchObject([{ path: ledgerFile, message: "does not exist" }])
    const { rows } = whole()
    const missing = problems({ rows: rows.filter(({ id }) => id !== "W4" && id !== "GET /users") })
    expect(missing.map(({ message }) => message)).toEqual([
      "GET /users (Endpoints) has no row",
      "W4 (Decisions: folder automations) has no row"
    ])
  })

  it.each([
    [{ tests: [] }, "has no test"],
    [
      { tests: [{ file: "packages/core/test/gone.test.ts", title: "x" }] },
      "there is no file packages/core/test/gone.test.ts"
    ],
    [{ tests: [{ file, title: "no test" }] }, `${file} has no test "no test"`],
    [{ tests: [{ file, title: "row %i: $name.first" }] }, `${file} has no test "row %i: $name.first"`],
    [{ status: "maybe" }, "has no status like maybe"],
    [{ section: "Errors" }, 'belongs to the section "Decisions: names"'],
    [{ text: " " }, "has no text"],
    [{ section: "Choices of our own" }, 'belongs to the section "Decisions: names"']
  ])("names the row and its line: %j", (change, message) => {
    const [finding, ...more] = problems(onlyN3(change))
    expect(more).toEqual([])
    const text = JSON.stringify(onlyN3(change), null, 2).split("\n")
    expect(finding).toEqual({
      path: ledgerFile,
      line: text.findIndex((line) => line.includes('"N3"')) + 1,
      rule: "fidelity-ledger",
      message: `N3: ${message}`
    })
  })

  it.each(["one dog is 100%", "row 3: Ada (she)"])("accepts the expanded title of a test: %s", (title) => {
    expect(problems(onlyN3({ tests: [{ file, title }] }))).toEqual([])
  })

  it("has each row once, and no choice of our own is specified", () => {
    const [first, ...rest] = whole().rows
    const own = { ...(first as Row), id: "C1", section: "Choices of our own" }
    const found = problems({ rows: [first as Row, ...rest, first as Row, own] })
    expect(found.map(({ message }) => message)).toEqual([
      "General rule 1: exists twice",
      "C1: is a choice of ours, so it cannot be specified"
    ])
  })

  it("is rendered as a page, and a different page is out of date", () => {
    expect(problems(whole(), "# Fidelity\n")).toMatchObject([{ path: ledgerPage, rule: "fidelity-ledger" }])
    const page = renderLedger(onlyN3({ text: "a | b <c> _d_", setting: "vendor" }))
    expect(page).toContain(
      "| N3 | a \\| b &lt;c> \\_d\\_ | specified | vendor | [a.test.ts](../packages/core/test/a.test.ts): an effect |"
    )
  })

  it("is read without changes", () => {
    expect(readLedger(JSON.stringify(whole())).ledger).toEqual(whole())
  })
})

describe("the titles of a test file", () => {
  it("are those of tests and groups, as written", () => {
    expect([...testTitles(parseSource(file, source))]).toEqual([
      "a group",
      "one %s is 100%",
      "row %i: $name.first",
      "an effect",
      "in backticks"
    ])
  })
})

describe("a run of the tests", () => {
  const packages = [{ directory: "packages/core", manifest: { name: "@tapedeck/core" } }]
  const proved = (title: string, path = file) =>
    onlyN3({ tests: [{ file: path, title }] }).rows.filter(({ id }) => id === "N3")
  type Ran = readonly [name: string, status: string, file?: string]
  const confirm = (title: string, assertions: ReadonlyArray<Ran> | undefined, path = file) =>
    unconfirmedProofs({ rows: proved(title, path) }, packages, () =>
      assertions?.map(([name, status, of = file]) => ({ ancestorTitles: ["a group"], title: name, status, file: of }))
    )

  it.each([
    ["an effect", "an effect"],
    ["row 3: Ada (she)", "row 3: Ada (she)"],
    ["a group", "whatever"]
  ])("confirms %j by %j", (title, name) => {
    expect(confirm(title, [[name, "passed"]])).toEqual([])
  })

  it("confirms a test of a shared suite by the file that runs it", () => {
    expect(confirm("an effect", [["an effect", "passed", "packages/core/test/all.test.ts"]])).toEqual([])
  })

  it("confirms a test by its own file, also if a test with the same title in another file fails", () => {
    const others: Ran = ["an effect", "failed", "packages/core/test/b.test.ts"]
    expect(confirm("an effect", [["an effect", "passed"], others])).toEqual([])
    expect(
      confirm("an effect", [
        ["an effect", "failed"],
        ["an effect", "passed", "packages/core/test/b.test.ts"]
      ])
    ).toEqual([`N3: "an effect" (${file}) failed`])
  })

  it.each<[string, ReadonlyArray<Ran> | undefined, string]>([
    ["an effect", [["an effect", "failed"]], "failed"],
    [
      "row 1: x",
      [
        ["row 1: x", "passed"],
        ["row 1: x", "failed"]
      ],
      "failed"
    ],
    ["an effect", [["an effect", "skipped"]], "was skipped"],
    [
      "row 1: x",
      [
        ["row 1: x", "passed"],
        ["row 1: x", "pending"]
      ],
      "was skipped"
    ],
    ["an effect", [["an effect of another kind", "passed"]], "was not run"],
    ["an effect", undefined, "was not run"]
  ])("does not confirm %j by %j: %s", (title, assertions, problem) => {
    expect(confirm(title, assertions)).toEqual([`N3: "${title}" (${file}) ${problem}`])
  })

  it("does not confirm a test outside the packages", () => {
    expect(confirm("an effect", [["an effect", "passed"]], "docs/a.test.ts")).toEqual([
      'N3: "an effect" (docs/a.test.ts) was not run'
    ])
  })
})
