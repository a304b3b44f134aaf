import { describe, expect, it } from "vitest"
import { checkImports, checkManifest } from "../src/rules/imports.ts"
import { parseSource } from "../src/syntax.ts"

const folders: Record<string, string> = { server: "apps", console: "apps", testkit: "tooling", bench: "tooling" }

const judge = (room: string, file: string, code: string) => {
  const directory = `${folders[room] ?? "packages"}/${room}`
  return checkImports(parseSource(`${directory}/${file}`, code), room, directory)
}

const importing = (room: string, specifier: string, file = "src/a.ts") => judge(room, file, `import "${specifier}"`)

const everyRoom = [
  ...["domain", "signing", "contract", "client", "core", "http", "dispatcher", "storage", "emulator"],
  ...["server", "console", "testkit", "bench"]
]

/** design.md's table, written out again: a slip in rooms.ts shows here. */
const mayImport: Record<string, ReadonlyArray<string>> = {
  domain: [],
  signing: [],
  contract: ["domain"],
  client: ["signing", "contract"],
  console: ["client"],
  core: ["domain"],
  http: ["contract", "core", "domain"],
  dispatcher: ["core", "domain", "signing"],
  storage: ["core", "domain"],
  emulator: ["http", "dispatcher", "core", "contract", "domain", "signing", "client"],
  server: everyRoom.filter((room) => !["emulator", "testkit", "bench", "server"].includes(room)),
  testkit: everyRoom.filter((room) => !["testkit", "bench"].includes(room)),
  // "Testkit, bench → anything": the benches start the PostgreSQL that testkit has.
  bench: everyRoom.filter((room) => room !== "bench")
}

describe("import directions", () => {
  it.each(everyRoom)("are design.md's for %s, in sources, tests and manifests", (room) => {
    const allowed = mayImport[room]!
    for (const other of everyRoom) {
      const expected = other === room || allowed.includes(other) ? 0 : 1
      expect(importing(room, `@tapedeck/${other}`), `${room} → ${other}`).toHaveLength(expected)
      expect(importing(room, `@tapedeck/${other}/sub`, "test/a.test.ts"), `${room}/test → ${other}`).toHaveLength(
        expected
      )
      for (const field of ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"]) {
        const manifest = { name: `@tapedeck/${room}`, [field]: { [`@tapedeck/${other}`]: "workspace:*" } }
        expect(checkManifest("package.json", manifest, ""), `${room} ${field} ${other}`).toHaveLength(expected)
      }
    }
  })

  it.each([
    ["re-exports", 'export { a } from "@tapedeck/http"'],
    ["whole re-exports", 'export * from "@tapedeck/http"'],
    ["types", 'import type { A } from "@tapedeck/http"'],
    ["types in place", 'type A = import("@tapedeck/http").A'],
    ["import()", 'const a = import("@tapedeck/http")'],
    ["import() with a template", "const a = import(`@tapedeck/http`)"],
    ["require", 'const a = require("@tapedeck/http")'],
    ["import.meta.resolve", 'const a = import.meta.resolve("@tapedeck/http")']
  ])("hold for %s", (_name, code) => {
    expect(judge("core", "src/a.ts", code)).toMatchObject([{ rule: "import-direction", line: 1 }])
  })

  it("keep relative imports inside their package", () => {
    expect(importing("core", "../../domain/src/ids.ts")).toHaveLength(1)
    expect(importing("core", "../../../tooling/checks/src/check.ts", "test/a.test.ts")).toHaveLength(1)
    expect(importing("core", "/work/somewhere/a.ts")).toHaveLength(1)
    expect(importing("core", "file:///work/somewhere/a.ts")).toHaveLength(1)
    expect(importing("core", "../src/index.ts", "test/a.test.ts")).toEqual([])
    expect(importing("core", "./memory/Table.ts")).toEqual([])
  })

  it("let domain's sources use effect only, and its tests what they need", () => {
    expect(importing("domain", "effect")).toEqual([])
    expect(importing("domain", "effect/Schema")).toEqual([])
    expect(importing("domain", "effective")).toHaveLength(1)
    expect(importing("domain", "ulid")).toHaveLength(1)
    expect(importing("domain", "node:crypto")).toHaveLength(1)
    expect(importing("domain", "fast-check", "test/a.test.ts")).toEqual([])
  })

  it("let signing import nothing; Node's crypto only where its manifest picks a file for Node", () => {
    expect(importing("signing", "effect")).toHaveLength(1)
    expect(importing("signing", "node:crypto")).toHaveLength(1)
    expect(importing("signing", "node:crypto", "src/hmac/node.ts")).toEqual([])
    expect(importing("signing", "effect", "src/hmac/node.ts")).toHaveLength(1)
    expect(importing("signing", "#hmac")).toEqual([])
  })

  it("keep contract and console free of Node", () => {
    for (const room of ["contract", "console"]) {
      expect(importing(room, "node:fs")).toHaveLength(1)
      expect(importing(room, "fs/promises")).toHaveLength(1)
      expect(importing(room, "node:fs", "test/a.test.ts")).toEqual([])
    }
    expect(importing("core", "node:crypto")).toEqual([])
  })

  it("refuse Effect 3 and the platform's barrel everywhere", () => {
    for (const name of ["@effect/schema", "@effect/schema/Schema", "@effect/platform", "@effect/platform-node"]) {
      expect(importing("server", name), name).toHaveLength(1)
      expect(importing("testkit", name, "test/a.test.ts"), name).toHaveLength(1)
    }
    expect(importing("server", "@effect/platform-node/NodeHttpServer")).toEqual([])
    const manifest = { name: "@tapedeck/core", devDependencies: { "@effect/schema": "0.75.0" } }
    expect(checkManifest("package.json", manifest, "")).toHaveLength(1)
  })

  it("name an unknown package, so that a new room is decided on", () => {
    expect(importing("gateway", "@tapedeck/core")[0]?.message).toContain(
      "not in the table of tooling/checks/src/rooms.ts"
    )
  })

  it("let every package take the shared settings, and none the checks", () => {
    expect(importing("core", "@tapedeck/tsconfig/vitest.ts", "vitest.config.ts")).toEqual([])
    expect(importing("core", "@tapedeck/checks", "test/a.test.ts")).toHaveLength(1)
  })

  it("find a dependency's line in the manifest", () => {
    const manifest = { name: "@tapedeck/core", devDependencies: { "@tapedeck/emulator": "workspace:*" } }
    const [finding] = checkManifest("packages/core/package.json", manifest, JSON.stringify(manifest, null, 2))
    expect(finding).toMatchObject({ path: "packages/core/package.json", line: 4 })
    expect(finding?.message).toContain("devDependencies: core may not import emulator")
  })
})
