import { describe, expect, it } from "vitest"
import { checkLedger } from "../src/ledger/checkLedger.ts"
import { unconfirmedProofs } from "../src/ledger/confirmLedger.ts"
import { columns, ledgerFile, type Row, readLedger } from "../src/ledger/Ledger.ts"
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

type Written = Omit<Row, "line">

/** A ledger of everything that is required, each row proved by the same test. */
const whole = (change: (row: Written) => Written = (row) => row): ReadonlyArray<Written> =>
  specification.flatMap(({ title, rows }) =>
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

const lineOf = ({ id, setting, status, tests, text }: Written): string => {
  const proofs = tests.map((test) => `[${test.file.split("/").at(-1)}](../${test.file}): ${test.title}`)
  return `| ${id} | ${text} | ${status} | ${setting ?? ""} | ${proofs.join("<br>").replaceAll("$", "\\$")} |`
}

/** The page with these rows. */
const pageOf = (rows: ReadonlyArray<Written>): string =>
  [...Map.groupBy(rows, ({ section }) => section)]
    .map(([section, those]) =>
      [`## ${section}`, "", columns, "|---|---|---|---|---|", ...those.map(lineOf), ""].join("\n")
    )
    .join("\n")

const problems = (rows: ReadonlyArray<Written>) => {
  const files: Readonly<Record<string, string>> = { [ledgerFile]: pageOf(rows), [file]: source }
  return checkLedger((path) => files[path])
}
const onlyN3 = (change: Partial<Written>) => whole((row) => (row.id === "N3" ? { ...row, ...change } : row))

describe("the fidelity ledger", () => {
  it("has no findings if it is complete", () => {
    expect(problems(whole())).toEqual([])
  })

  it("must exist, and contain every row of the specification", () => {
    expect(checkLedger(() => undefined)).toMatchObject([{ path: ledgerFile, message: "does not exist" }])
    const missing = problems(whole().filter(({ id }) => id !== "W4" && id !== "GET /users"))
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
    const lines = pageOf(onlyN3(change)).split("\n")
    expect(finding).toEqual({
      path: ledgerFile,
      line: lines.findIndex((line) => line.startsWith("| N3 |")) + 1,
      rule: "fidelity-ledger",
      message: `N3: ${message}`
    })
  })

  it.each(["one dog is 100%", "row 3: Ada (she)"])("accepts the expanded title of a test: %s", (title) => {
    expect(problems(onlyN3({ tests: [{ file, title }] }))).toEqual([])
  })

  it("has each row once, and no choice of our own is specified", () => {
    const [first, ...rest] = whole()
    const own = { ...(first as Written), id: "C1", section: "Choices of our own" }
    const found = problems([first as Written, ...rest, first as Written, own])
    expect(found.map(({ message }) => message)).toEqual([
      "General rule 1: exists twice",
      "C1: is a choice of ours, so it cannot be specified"
    ])
  })

  it("is read from a page, in which bars, stars, underscores and angles are escaped", () => {
    const { ledger } = readLedger(
      `## Errors\n\n${columns}\n|---|---|---|---|---|\n| N3 | a \\| b &lt;c> \\_d\\_ | specified | vendor | [a.test.ts](../${file}): an effect |\n`
    )
    const tests = [{ file, title: "an effect" }]
    expect(ledger.rows).toEqual([
      { id: "N3", section: "Errors", text: "a | b <c> _d_", status: "specified", setting: "vendor", tests, line: 5 }
    ])
  })

  it.each([
    ["| N3 | It does. | specified | vendor |", "| N3 | It does. | sp: has not five columns"],
    ["| N3 | It does. | specified |  | a.test.ts: x |", "N3: has a proof that is not [file](../path/of/file): title"],
    [
      "| N3 | It does. | specified |  | [b.ts](../a.ts): x |",
      "N3: has a proof that is not [file](../path/of/file): title"
    ]
  ])("names a row that is not written as it should be: %s", (line, message) => {
    const { findings } = readLedger(`## Decisions: names\n\n${line}\n`)
    expect(findings[0]).toEqual({ path: ledgerFile, line: 3, rule: "fidelity-ledger", message })
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
    readLedger(pageOf(onlyN3({ tests: [{ file: path, title }] }))).ledger.rows.filter(({ id }) => id === "N3")
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
