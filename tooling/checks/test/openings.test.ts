import { describe, expect, it } from "vitest"
import { checkFile } from "../src/ownRules.ts"
import { packagesAmong, projectFiles } from "../src/project.ts"
import { findOpenings } from "../src/rules/openings.ts"
import { parseSource } from "../src/syntax.ts"

const path = "packages/core/src/folders/a.tsx"
const find = (code: string) => findOpenings(parseSource(path, code))

describe("openings", () => {
  it.each([
    "What signs deliveries.",
    "Whose.",
    "Whom it names.",
    "Theirs.",
    "Those of the account.",
    "One that moved.",
    "Of a folder.",
    "As it does for sites."
  ])("refuses a doc comment, description, summary or title that begins with a pronoun: %s", (text) => {
    expect(find(`\n/** ${text} */\nexport const a = 1`)).toMatchObject([{ path, line: 2, rule: "opening" }])
    expect(find(`const a = {\n  description: "${text}"\n}`)).toMatchObject([{ line: 2 }])
    expect(find(`const a = { "summary": "${text}" }`)).toHaveLength(1)
    expect(find(`const a = { title: \`${text}\` }`)).toHaveLength(1)
  })

  it("refuses it in each text of a condition, at the start of a sum or template, and in the arguments of about", () => {
    expect(find('const a = { description: b ? "What b is." : "What c is." }')).toHaveLength(2)
    expect(find('const a = { description: "What is" + " left out." }')).toHaveLength(1)
    expect(find("const a = { description: `What $" + "{kind} is.` as const }")).toHaveLength(1)
    expect(find('about("folders.get", "Get a folder", "What is in it.")')).toHaveLength(1)
    expect(find('const a = <A title="What failed" />')).toHaveLength(1)
    expect(find('const a = <A title={b ?? "What failed"} />')).toEqual([])
  })

  it("refuses it after a tag, and on the first line of text", () => {
    expect(find("/**\n *\n * What it is.\n */\nconst a = 1")).toMatchObject([{ line: 3 }])
    expect(find("/**\n * Adds.\n * @param a What to add.\n * @returns Whose it is.\n */\nconst a = 1")).toMatchObject([
      { line: 3 },
      { line: 4 }
    ])
  })

  it("allows the words elsewhere, in other words, and in other comments and texts", () => {
    expect(find("/** Says what it is. What it is not, another line says. */\nconst a = 1")).toEqual([])
    expect(find("/** Often whatever, Offers. */\nconst a = 1")).toEqual([])
    expect(find("// What it is.\n/* What it is. */\nconst a = 'What it is.'")).toEqual([])
    expect(find('const a = { name: "What it is.", description: what }')).toEqual([])
    expect(find('const a = "/** What it is. */"')).toEqual([])
  })

  it("are checked in the sources of packages and apps", () => {
    const packages = packagesAmong(projectFiles())
    const rulesAt = (file: string) => checkFile(file, "/** What it is. */\nconst a = 1", packages).findings
    expect(rulesAt("packages/domain/src/a.ts")).toMatchObject([{ rule: "opening" }])
    expect(rulesAt("apps/console/src/a.tsx")).toMatchObject([{ rule: "opening" }])
    expect(rulesAt("packages/domain/test/a.test.ts")).toEqual([])
    expect(rulesAt("tooling/suites/src/a.ts")).toEqual([])
  })
})
