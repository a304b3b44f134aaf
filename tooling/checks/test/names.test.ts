import { describe, expect, it } from "vitest"
import { checkFile } from "../src/ownRules.ts"
import { packagesAmong, projectFiles } from "../src/project.ts"
import { findVagueNames } from "../src/rules/names.ts"
import { parseSource } from "../src/syntax.ts"

const find = (code: string) => findVagueNames(parseSource("packages/core/src/a.ts", code)).map(({ line }) => line)

describe("names", () => {
  it.each([
    "const given = 1",
    "let { a: told, ...its } = b",
    "\nexport const [one = 1] = b",
    "function found() {}",
    "class Itself {}",
    "interface Called {}",
    "export type OfOne = 1",
    "export const f = (given: string) => given",
    "export const f = (a: string) => ({ b: [one] }: C) => one",
    "export function* f(found = 1) {}",
    "export class A { constructor(private readonly given: string) {} }",
    "export class A { f(...found: Array<string>) {} }"
  ])("at module level, and parameters of exported functions, are refused if they name nothing: %s", (code) => {
    expect(find(code).length).toBeGreaterThan(0)
  })

  it("are reported with their line", () => {
    expect(find("\nexport const f = (\n  a: string,\n  given: string\n) => a")).toEqual([4])
  })

  it.each([
    "const f = (given: string) => given",
    "export const f = () => { const found = 1; return found }",
    "export const f = ({ given: text }: A) => text",
    "export const f = (items: Array<string>) => items.map((one) => one)",
    "export class A { private f(given: string) {} }",
    "export const oneTime = 1, foundItems = 2",
    "export { given } from './b.ts'"
  ])("inside functions, and in other words, are accepted: %s", (code) => {
    expect(find(code)).toEqual([])
  })

  it("are checked in the sources of packages and apps", () => {
    const packages = packagesAmong(projectFiles())
    const rulesAt = (file: string) => checkFile(file, "const given = 1", packages).findings
    expect(rulesAt("packages/domain/src/a.ts")).toMatchObject([{ rule: "vague-name" }])
    expect(rulesAt("apps/console/src/a.tsx")).toMatchObject([{ rule: "vague-name" }])
    expect(rulesAt("packages/domain/test/a.test.ts")).toEqual([])
    expect(rulesAt("tooling/suites/src/a.ts")).toEqual([])
  })
})
