import { describe, expect, it } from "vitest"
import { checkHosts, checkLength, missingLongFiles } from "../src/rules/text.ts"

/** Host names are put together here, as this file is checked too. */
const host = (...labels: ReadonlyArray<string>) => labels.join(".")

describe("registry hosts", () => {
  it.each([
    host("registry", "npmjs", "org"),
    host("registry", "yarnpkg", "com"),
    host("npm", "pkg", "github", "com"),
    host("deb", "debian", "org"),
    host("ftp", "de", "debian", "org").replace(".de.", "."),
    host("security", "debian", "org"),
    host("archive", "ubuntu", "com")
  ])("are refused in any file: %s", (name) => {
    const findings = checkHosts("docs/setup.md", `Install.\nnpm config set registry https://${name}/\n`)
    expect(findings).toMatchObject([{ path: "docs/setup.md", line: 2, rule: "registry-host" }])
  })

  it("are not any host", () => {
    const text = "See https://www.npmjs.com/package/effect and https://www.debian.org, registry.ts, import.meta.url"
    expect(checkHosts("README.md", text)).toEqual([])
  })

  it("leave the lockfile without any address", () => {
    const resolution = "    resolution: {integrity: sha512-abc, tarball: https://packages.example/effect.tgz}"
    expect(checkHosts("pnpm-lock.yaml", `lockfileVersion: '9.0'\n${resolution}\n`)).toHaveLength(2)
    expect(checkHosts("pnpm-lock.yaml", "    resolution: {integrity: sha512-abc}\n")).toEqual([])
  })
})

describe("file length", () => {
  const lines = (count: number) => "a\n".repeat(count)

  it("is at most 400 lines", () => {
    expect(checkLength("a.ts", lines(400), {})).toEqual([])
    expect(checkLength("a.ts", lines(401), {})).toMatchObject([{ path: "a.ts", line: 401, rule: "file-length" }])
  })

  it("may be more for a listed reason, while it is needed", () => {
    expect(checkLength("a.ts", lines(401), { "a.ts": "one table" })).toEqual([])
    expect(checkLength("a.ts", lines(400), { "a.ts": "one table" })).toHaveLength(1)
    expect(missingLongFiles(["b.ts"], { "a.ts": "one table" })).toMatchObject([{ path: "a.ts" }])
    expect(missingLongFiles(["a.ts"], { "a.ts": "one table" })).toEqual([])
  })
})
