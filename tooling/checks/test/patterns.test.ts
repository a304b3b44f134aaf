import { describe, expect, it } from "vitest"
import { doubtAbout } from "../src/patternProofs.ts"
import { findUnprovenPatterns } from "../src/rules/patterns.ts"
import { parseSource } from "../src/syntax.ts"

const found = (code: string) => findUnprovenPatterns(parseSource("packages/core/src/a.ts", code), doubtAbout)

describe("regular expressions", () => {
  it.each([
    ["of quadratic time, as every start is tried", "/\\s+$/"],
    ["of quadratic time, as two parts share characters", "/^a\\s*\\s*$/"],
    ["of exponential time", "/^(a|a)*$/"],
    ["that backtrack over a time line (SubRip)", "/^\\s*\\d+:\\d+\\S*\\s*[-=–—]+>\\s*\\d+:\\d+/"],
    ["with what no automaton shows", "/^(a+)b\\1$/"],
    ["with a lookahead", "/^a+(?=b)/"],
    ["of flags that are not known", "/^[a-z]+$/v"],
    ["made at run time", "new RegExp(text)"],
    ["made at run time without new", "RegExp('a' + text)"],
    ["made at run time by the global's name", "new globalThis.RegExp(text)"]
  ])("are refused: those %s", (_name, code) => {
    expect(found(`\nconst used = ${code}`)).toMatchObject([{ rule: "linear-pattern", line: 2 }])
  })

  it.each([
    ["without repetition", "/^(?:a|ab)?c$/i"],
    ["that are anchored", "/^\\s+$/"],
    ["that are sticky", "/\\s+x/y"],
    ["whose parts share no characters", "/^\\d+\\s*-->\\s*\\d+$/"],
    ["that are limited", "/={1,2}$/"]
  ])("are accepted: those %s", (_name, code) => {
    expect(found(`const used = ${code}`)).toEqual([])
  })
})
