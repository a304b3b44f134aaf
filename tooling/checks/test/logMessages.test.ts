import { describe, expect, it } from "vitest"
import { findVaryingLogMessages } from "../src/rules/logMessages.ts"
import { parseSource } from "../src/syntax.ts"

const found = (code: string) => findVaryingLogMessages(parseSource("packages/core/src/a.ts", code))

describe("log messages", () => {
  it.each([
    ["a template", "Effect.logInfo(`pruned $" + "{count}`)"],
    ["a sum", 'Effect.logWarning("no space for " + path)'],
    ["a variable", "Effect.logError(line)"],
    ["a cause alone", "Effect.log(cause)"]
  ])("are refused: %s", (_name, code) => {
    expect(found(`\n${code}`)).toMatchObject([{ rule: "log-message", line: 2 }])
  })

  it("are accepted: constant text, with fields and a cause", () => {
    expect(found('Effect.logError("no space left", { path }, cause)')).toEqual([])
    expect(found("Effect.logical(a, b)")).toEqual([])
  })
})
