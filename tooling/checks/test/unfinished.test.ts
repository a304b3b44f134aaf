import { describe, expect, it } from "vitest"
import { allowUnfinished } from "../src/rules/unfinished.ts"

const path = "packages/core/src/folders/a.ts"
const finding = (rule: string, at = path) => ({ path: at, line: 1, rule, message: "" })

describe("unfinished folders", () => {
  it("may have findings of their rule, which no other folder may", () => {
    const findings = [finding("opening")]
    expect(allowUnfinished(findings, { opening: ["packages/core/src"] })).toEqual([])
    expect(allowUnfinished(findings, {})).toEqual(findings)
    const other = finding("opening", "packages/core/source/a.ts")
    expect(allowUnfinished([...findings, other], { opening: ["packages/core/src"] })).toEqual([other])
  })

  it("may have no findings of other rules", () => {
    const findings = [finding("opening"), finding("vague-name"), finding("wall-clock")]
    expect(allowUnfinished(findings, { opening: ["packages/core/src"] })).toEqual(findings.slice(1))
  })

  it("must have a finding: a folder without one is taken off the list", () => {
    const message = "packages/core/src has no finding any more: take it off unfinishedFolders"
    expect(allowUnfinished([], { opening: ["packages/core/src"] })).toMatchObject([{ rule: "opening", message }])
    expect(allowUnfinished([finding("vague-name")], { opening: ["packages/core/src"] })).toHaveLength(2)
  })
})
