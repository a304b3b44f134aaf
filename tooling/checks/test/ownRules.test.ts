import { describe, expect, it } from "vitest"
import { checkFile } from "../src/ownRules.ts"
import { packagesAmong, projectFiles } from "../src/project.ts"

const files = projectFiles()
const packages = packagesAmong(files)

describe("the files of the project", () => {
  it("are the tracked files, without generated ones", () => {
    expect(files).toContain("pnpm-lock.yaml")
    expect(files).toContain(".ci/run")
    expect(files).toContain("tooling/checks/test/ownRules.test.ts")
    expect(files.filter((file) => /(^|\/)(node_modules|dist|\.git|\.turbo|\.reports)\//.test(file))).toEqual([])
  })

  it("contain every package, each named @tapedeck/…", () => {
    const names = packages.map(({ manifest }) => manifest.name)
    expect(names).toContain("@tapedeck/domain")
    expect(names).toContain("@tapedeck/server")
    expect(names.filter((name) => !name.startsWith("@tapedeck/"))).toEqual([])
  })
})

describe("checkFile", () => {
  const rulesAt = (path: string, text: string) => checkFile(path, text, packages).findings.map(({ rule }) => rule)

  it("applies the clock rule to the sources of the listed packages only", () => {
    for (const name of ["domain", "core", "http", "dispatcher", "emulator"]) {
      expect(rulesAt(`packages/${name}/src/a.ts`, "Date.now()"), name).toEqual(["wall-clock"])
      expect(rulesAt(`packages/${name}/test/a.test.ts`, "Date.now()"), name).toEqual([])
    }
    expect(rulesAt("packages/signing/src/a.ts", "Date.now()")).toEqual([])
    expect(rulesAt("apps/server/src/a.ts", "Date.now()")).toEqual([])
  })

  it("applies the other rules to every file of a package", () => {
    expect(rulesAt("packages/core/src/a.ts", "[...HashMap.make([1, 2])]")).toEqual(["hash-order"])
    expect(rulesAt("docs/a.md", ["registry", "npmjs", "org"].join("."))).toEqual(["registry-host"])
  })

  it("requires plain words in every file, but for a line that says why not", () => {
    const word = ["some", "body"].join("")
    expect(rulesAt("docs/a.md", word)).toEqual(["plain-words"])
    expect(rulesAt("tooling/bench/test/a.test.ts", `"${word}"`)).toEqual(["plain-words"])
    expect(rulesAt("tooling/bench/test/a.test.ts", `"${word}" // allow-word: a name`)).toEqual([])
  })

  it("refuses regular expressions that may take more than linear time, in the sources of packages and apps", () => {
    expect(rulesAt("apps/server/src/a.ts", "/\\s+$/.test(text)")).toEqual(["linear-pattern"])
    expect(rulesAt("packages/signing/src/a.ts", "new RegExp(text)")).toEqual(["linear-pattern"])
    expect(rulesAt("packages/signing/src/a.ts", "/^\\s+$/.test(text)")).toEqual([])
    expect(rulesAt("packages/signing/test/a.test.ts", "/\\s+$/.test(text)")).toEqual([])
    expect(rulesAt("tooling/suites/src/a.ts", "/\\s+$/.test(text)")).toEqual([])
  })

  it("throws an error with the path and line for a file that does not parse", () => {
    expect(() => checkFile("packages/core/src/a.ts", "const = 1", packages)).toThrow("packages/core/src/a.ts:1 syntax")
  })

  it("checks the dependencies of a manifest", () => {
    const manifest = { name: "@tapedeck/core", dependencies: { "@tapedeck/http": "workspace:*" } }
    const core = { directory: "packages/core", manifest }
    const { findings } = checkFile("packages/core/package.json", JSON.stringify(manifest, null, 2), [core])
    expect(findings).toMatchObject([{ rule: "dependencies", line: 4 }])
  })
})
