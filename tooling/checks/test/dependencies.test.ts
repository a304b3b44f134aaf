import { describe, expect, it } from "vitest"
import { checkDependencies } from "../src/rules/dependencies.ts"

const libraries = [
  "domain",
  "signing",
  "contract",
  "client",
  "capture",
  "console",
  "core",
  "http",
  "dispatcher",
  "storage",
  "fixtures"
]

/** The table of design.md, repeated here, so that a slip in the rule's table shows. */
const mayDependOn: Record<string, ReadonlyArray<string>> = {
  domain: [],
  signing: [],
  contract: ["domain"],
  client: ["signing", "contract"],
  capture: ["client", "domain"],
  console: ["client", "capture", "capture-page", "domain", "contract", "emulator", "suites"],
  "capture-page": ["capture", "domain"],
  core: ["domain"],
  fixtures: ["core", "domain"],
  http: ["contract", "core", "domain", "fixtures"],
  dispatcher: ["core", "domain", "signing"],
  storage: ["core", "domain"],
  emulator: ["http", "dispatcher", "core", "fixtures", "contract", "domain", "signing", "client"],
  server: libraries,
  testkit: ["core", "domain"],
  suites: [...libraries, "server", "emulator", "testkit"],
  bench: [...libraries, "server", "emulator", "suites"]
}

const fields = ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"]
const names = Object.keys(mayDependOn)

const withApi = ["signing", "client", "capture", "emulator", "contract", "domain", "dispatcher", "testkit"]

const specifierOf = (from: string, to: string, field: string) =>
  field === "dependencies" && [from, to.replace("@tapedeck/", "")].every((name) => withApi.includes(name))
    ? "workspace:^"
    : "workspace:*"

const findingsOf = (from: string, to: string, field = "dependencies", specifier = specifierOf(from, to, field)) => {
  const manifest = { name: `@tapedeck/${from}`, [field]: { [to]: specifier } }
  return checkDependencies(`packages/${from}/package.json`, manifest, JSON.stringify(manifest, null, 2))
}

describe("dependencies between packages", () => {
  it.each(names)("match design.md for %s, in every kind of dependency", (from) => {
    for (const to of names.filter((name) => name !== from)) {
      const expected = mayDependOn[from]!.includes(to) ? 0 : 1
      for (const field of fields)
        expect(findingsOf(from, `@tapedeck/${to}`, field), `${from} → ${to}`).toHaveLength(expected)
    }
  })

  it("on the shared settings are allowed for every package, and on the checks for none", () => {
    expect(findingsOf("core", "@tapedeck/tsconfig")).toEqual([])
    expect(findingsOf("core", "@tapedeck/checks")).toHaveLength(1)
  })

  it("are ranges between packages with an API, and exact elsewhere", () => {
    const refused = (...[from, to, field, specifier]: [string, string, string, string]) =>
      findingsOf(from, `@tapedeck/${to}`, field, specifier).map(({ message }) => message)
    expect(refused("client", "signing", "dependencies", "workspace:*")).toEqual([
      "dependencies: client must name signing as workspace:^"
    ])
    for (const specifier of ["workspace:^", "^1.0.0"])
      expect(refused("testkit", "core", "dependencies", specifier)).toEqual([
        "dependencies: testkit must name core as workspace:*"
      ])
    expect(refused("client", "contract", "devDependencies", "workspace:^")).toHaveLength(1)
  })

  it("on packages from outside are not checked", () => {
    expect(findingsOf("core", "sorted-btree")).toEqual([])
  })

  it("of a package without an entry in the table are refused", () => {
    expect(findingsOf("gateway", "@tapedeck/core")[0]?.message).toContain("gateway has no entry in the table")
  })

  it("are reported with the line of the manifest and the field", () => {
    expect(findingsOf("core", "@tapedeck/emulator", "devDependencies")).toMatchObject([
      {
        path: "packages/core/package.json",
        line: 4,
        rule: "dependencies",
        message: expect.stringContaining("devDependencies: core may not depend on emulator")
      }
    ])
  })
})
