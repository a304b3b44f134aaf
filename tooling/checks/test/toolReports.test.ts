import { describe, expect, it } from "vitest"
import { formatFinding } from "../src/finding.ts"
import { readBiome, readKnip, readReport } from "../src/toolReports.ts"

/** Shortened from what the tools print (biome 2.6, knip 6.44). */
const biome = JSON.stringify({
  summary: { errors: 2 },
  diagnostics: [
    {
      severity: "error",
      message: "Formatter would have printed the following content:",
      category: "format",
      location: { path: "packages/core/src/a.ts", start: { line: 0, column: 0 } }
    },
    {
      severity: "error",
      message: "Unexpected any. Specify a different type.",
      category: "lint/suspicious/noExplicitAny",
      location: { path: "packages/core/src/a.ts", start: { line: 12, column: 70 } }
    }
  ]
})

const knip = JSON.stringify({
  issues: [
    { file: "packages/core/src/a.ts", exports: [{ name: "unusedThing", line: 7, col: 1, pos: 90 }], files: [] },
    { file: "packages/core/src/b.ts", exports: [], files: [{ name: "packages/core/src/b.ts" }] },
    {
      file: "packages/core/src/c.ts",
      exports: [],
      duplicates: [
        [
          { name: "a", line: 1 },
          { name: "b", line: 2 }
        ]
      ]
    }
  ]
})

describe("a tool's report", () => {
  it("becomes a line for each finding of biome", () => {
    const { findings, remarks } = readReport({ stdout: biome, stderr: "" }, readBiome)
    expect(findings.map(formatFinding)).toEqual([
      "packages/core/src/a.ts:1 format is not formatted: biome check --write",
      "packages/core/src/a.ts:12 lint/suspicious/noExplicitAny Unexpected any. Specify a different type."
    ])
    expect(remarks).toEqual([""])
  })

  it("becomes a line for each finding of knip", () => {
    const { findings } = readReport({ stdout: knip, stderr: "" }, readKnip)
    expect(findings.map(formatFinding)).toEqual([
      "packages/core/src/a.ts:7 knip/exports unusedThing",
      "packages/core/src/b.ts:1 knip/files is used nowhere",
      "packages/core/src/c.ts:1 knip/duplicates a",
      "packages/core/src/c.ts:2 knip/duplicates b"
    ])
  })

  it("is shown unchanged if it contains no finding", () => {
    const crash = { stdout: "", stderr: "knip: cannot read knip.jsonc\n" }
    expect(readReport(crash, readKnip)).toEqual({ findings: [], remarks: ["", "knip: cannot read knip.jsonc"] })
    const changed = { stdout: '{"other":"shape"}', stderr: "" }
    expect(readReport(changed, readBiome)).toEqual({ findings: [], remarks: ['{"other":"shape"}', ""] })
  })
})
