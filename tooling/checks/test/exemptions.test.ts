import { describe, expect, it } from "vitest"
import { findClockUses } from "../src/rules/clock.ts"
import { applyExemptions, staleClockFiles } from "../src/rules/exemptions.ts"
import { parseSource } from "../src/syntax.ts"

const path = "packages/emulator/src/live.ts"

const judge = (code: string, allowed: Record<string, string> = { [path]: "running mode" }) => {
  const source = parseSource(path, code)
  return applyExemptions(source, findClockUses(source), allowed)
}

describe("exemptions", () => {
  it("exempt their line, and are listed with their reason", () => {
    expect(judge("const t = Date.now() // allow-clock: running mode follows real time")).toEqual({
      findings: [],
      exemptions: [{ path, line: 1, kind: "clock", reason: "running mode follows real time" }]
    })
  })

  it.each([
    ["another line", "// allow-clock: above\nconst t = Date.now()", 2],
    ["no reason", "const t = Date.now() // allow-clock:", 2],
    ["no colon", "const t = Date.now() // allow-clock because", 2],
    ["another rule", "const t = Date.now() // allow-order: sorted below", 2],
    ["nothing to exempt", "const t = 1 // allow-clock: none", 1]
  ])("do not cover: %s", (_name, code, findings) => {
    const judged = judge(code)
    expect(judged.findings).toHaveLength(findings)
    expect(judged.exemptions).toEqual([])
  })

  it("count in the listed files only", () => {
    const judged = judge("const t = Date.now() // allow-clock: a good reason", {})
    expect(judged.findings.map(({ message }) => message)).toEqual([
      "Date.now reads the wall clock: time comes from Effect's Clock",
      "this file is not among clockFiles in tooling/checks/src/rules/exemptions.ts"
    ])
  })

  it("must be used by every listed file", () => {
    const { exemptions } = judge("const t = Date.now() // allow-clock: running mode")
    expect(staleClockFiles(exemptions, { [path]: "running mode" })).toEqual([])
    expect(staleClockFiles([], { [path]: "running mode" })).toMatchObject([{ path, rule: "wall-clock" }])
  })
})
