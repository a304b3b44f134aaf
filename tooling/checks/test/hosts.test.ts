import { describe, expect, it } from "vitest"
import { checkHosts } from "../src/rules/hosts.ts"

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
  ])("a registry host is refused in any file: %s", (name) => {
    const findings = checkHosts("docs/setup.md", `Install.\nnpm config set registry https://${name}/\n`)
    expect(findings).toMatchObject([{ path: "docs/setup.md", line: 2, rule: "registry-host" }])
  })

  it("other hosts are allowed", () => {
    const text = "See https://www.npmjs.com/package/effect and https://www.debian.org, registry.ts, import.meta.url"
    expect(checkHosts("README.md", text)).toEqual([])
  })

  it("the lockfile may not contain any address", () => {
    const resolution = "    resolution: {integrity: sha512-abc, tarball: https://packages.example/effect.tgz}"
    expect(checkHosts("pnpm-lock.yaml", `lockfileVersion: '9.0'\n${resolution}\n`)).toHaveLength(2)
    expect(checkHosts("pnpm-lock.yaml", "    resolution: {integrity: sha512-abc}\n")).toEqual([])
  })
})
