import { describe, expect, it } from "vitest"
import { checkFile } from "../src/ownRules.ts"
import { packagesAmong, projectFiles } from "../src/project.ts"
import { findCitations } from "../src/rules/citations.ts"

const cited = (text: string) => findCitations("packages/domain/src/a.ts", text)

describe("doc comments of published packages", () => {
  it.each(["W4", "R19", "ADR 29", "specification", "docs/media.md", "spec/capture", "emulator.md"])(
    "may not cite %s",
    (citation) => {
      expect(cited(`const a = 1\n/**\n * Says it (${citation}).\n */\nexport const b = 2`)).toMatchObject([
        { path: "packages/domain/src/a.ts", line: 3, rule: "citation" }
      ])
    }
  )

  it("may link, and may name versions, standards and engines", () => {
    expect(cited("/** As https://example.test/docs/api.md has it. */")).toEqual([])
    expect(cited("/** v2, V8, RFC 9110, `v1`, UTF8 and 2026-01-01. */")).toEqual([])
  })

  it("are checked alone: comments that no types carry may cite the specification", () => {
    expect(cited("// The order of R1.\n/* W4 */\nconst a = 'W4'")).toEqual([])
  })

  it("are checked in the sources of packages whose types are an API", () => {
    const packages = packagesAmong(projectFiles())
    const rulesAt = (path: string) => checkFile(path, "/** W4 */\nexport const a = 1", packages).findings
    expect(rulesAt("packages/domain/src/a.ts")).toMatchObject([{ rule: "citation" }])
    expect(rulesAt("packages/signing/src/a.ts")).toMatchObject([{ rule: "citation" }])
    expect(rulesAt("packages/domain/test/a.test.ts")).toEqual([])
    expect(rulesAt("packages/storage/src/a.ts")).toEqual([])
  })
})
