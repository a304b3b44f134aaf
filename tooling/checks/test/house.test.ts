import { describe, expect, it } from "vitest"
import { checkFile } from "../src/house.ts"
import { packagesAmong, projectFiles } from "../src/project.ts"
import { rooms } from "../src/rooms.ts"

const files = projectFiles()
const packages = packagesAmong(files)

describe("the project's files", () => {
  it("are the tracked ones, without what is generated", () => {
    expect(files).toContain("pnpm-lock.yaml")
    expect(files).toContain(".ci/run")
    expect(files).toContain("tooling/checks/test/house.test.ts")
    expect(files.filter((file) => /(^|\/)(node_modules|dist|\.git|\.turbo|\.reports)\//.test(file))).toEqual([])
  })

  it("hold the packages, each a room that the table knows", () => {
    const names = packages.map(({ manifest }) => manifest.name)
    expect(names).toContain("@tapedeck/domain")
    expect(names).toContain("@tapedeck/server")
    for (const name of names) expect(Object.keys(rooms)).toContain(name.replace("@tapedeck/", ""))
  })
})

describe("a file", () => {
  const rulesAt = (path: string, text: string) => checkFile(path, text, packages).findings.map(({ rule }) => rule)

  it("is held to the clock rule in the sources of the rooms that are named, and nowhere else", () => {
    for (const room of ["domain", "core", "http", "dispatcher", "emulator"]) {
      expect(rulesAt(`packages/${room}/src/a.ts`, "Date.now()"), room).toEqual(["wall-clock"])
      expect(rulesAt(`packages/${room}/test/a.test.ts`, "Date.now()"), room).toEqual([])
    }
    expect(rulesAt("packages/signing/src/a.ts", "Date.now()")).toEqual([])
    expect(rulesAt("apps/server/src/a.ts", "Date.now()")).toEqual([])
  })

  it("is held to every other rule in its package", () => {
    expect(rulesAt("packages/core/src/a.ts", "[...HashMap.make([1, 2])]")).toEqual(["hash-order"])
    expect(rulesAt("packages/core/src/a.ts", 'import "@tapedeck/http"')).toEqual(["import-direction"])
    expect(rulesAt("apps/server/test/a.test.ts", 'import "@tapedeck/emulator"')).toEqual(["import-direction"])
    expect(rulesAt("packages/core/src/a.tsx", "a\n".repeat(401))).toEqual(["file-length"])
    expect(rulesAt("docs/a.md", ["registry", "npmjs", "org"].join("."))).toEqual(["registry-host"])
  })

  it("has regular expressions of linear time only, in the sources of packages and apps", () => {
    expect(rulesAt("apps/server/src/a.ts", "/\\s+$/.test(text)")).toEqual(["linear-pattern"])
    expect(rulesAt("packages/signing/src/a.ts", "new RegExp(text)")).toEqual(["linear-pattern"])
    expect(rulesAt("packages/signing/src/a.ts", "/^\\s+$/.test(text)")).toEqual([])
    expect(rulesAt("packages/signing/test/a.test.ts", "/\\s+$/.test(text)")).toEqual([])
    expect(rulesAt("tooling/testkit/src/a.ts", "/\\s+$/.test(text)")).toEqual([])
  })

  it("that does not parse is said to be so", () => {
    expect(() => checkFile("packages/core/src/a.ts", "const = 1", packages)).toThrow("packages/core/src/a.ts:1 syntax")
  })

  it("that is a manifest is held to the same directions", () => {
    const manifest = { name: "@tapedeck/core", dependencies: { "@tapedeck/http": "workspace:*" } }
    const core = { directory: "packages/core", manifest }
    const { findings } = checkFile("packages/core/package.json", JSON.stringify(manifest, null, 2), [core])
    expect(findings).toMatchObject([{ rule: "import-direction", line: 4 }])
  })
})
