import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { bomFile, bomOf } from "@tapedeck/tsconfig/bom.ts"
import { licensesFile, licensesOf } from "@tapedeck/tsconfig/thirdPartyLicenses.ts"
import { describe, expect, it } from "vitest"

const dist = fileURLToPath(new URL("../dist/", import.meta.url))

/** The names of the packages whose sources the bundle's source maps name: `node_modules/NAME/…`. */
const bundledPackages = () => {
  const maps = readdirSync(dist).filter((name) => name.endsWith(".js.map"))
  const parsed = maps.map((name) => JSON.parse(readFileSync(join(dist, name), "utf8")) as { sources: Array<string> })
  const names = parsed.flatMap(({ sources }) => sources.flatMap((source) => packageName.exec(source)?.[1] ?? []))
  return [...new Set(names)].sort()
}

const packageName = /^node_modules\/((?:@[^/]+\/)?[^/]+)\//

describe("the licences of what is bundled", () => {
  it("are in the package, for every package of which the bundle has code", () => {
    const text = readFileSync(join(dist, licensesFile), "utf8")
    const packages = bundledPackages()
    expect(packages).toEqual(expect.arrayContaining(["effect", "undici", "nodemailer", "openid-client"]))
    const listed = text.split("\n").map((line) => /^(\S+) \d\S* \(.+\)$/.exec(line)?.[1])
    for (const name of packages) expect(listed).toContain(name)
    for (const phrase of ["Permission is hereby granted", "Apache License"]) expect(text).toContain(phrase)
  })

  it("are in the console's files too", () => {
    expect(readFileSync(join(dist, "console/licenses.md"), "utf8")).toContain("react")
  })

  it("of one text are listed once; a package of the same scope lends its text, and the build fails without any", () => {
    const bundled = (name: string, text: string) => ({ name, version: "1.0.0", license: "MIT", text })
    const text = licensesOf([
      bundled("@a/two", ""),
      bundled("b", "Text B"),
      bundled("@a/one", "Text A"),
      bundled("c", "Text A")
    ])
    expect(text.match(/Text A/g)).toHaveLength(1)
    expect(text).toContain("@a/one 1.0.0 (MIT)\n@a/two 1.0.0 (MIT)\nc 1.0.0 (MIT)\n\nText A\n")
    expect(() => licensesOf([bundled("d", "")])).toThrow("d 1.0.0 is bundled, but has no file with its licence")
    expect(() => licensesOf([bundled("@a/two", ""), bundled("@b/one", "Text B")])).toThrow("@a/two 1.0.0 is bundled")
  })
})

describe("the bill of materials", () => {
  it("lists the packages of the bundle and of the console's files", () => {
    const { components } = JSON.parse(readFileSync(join(dist, bomFile), "utf8")) as ReturnType<typeof bomOf>
    const names = components.map((component) => component?.name)
    expect(names).toEqual(expect.arrayContaining([...bundledPackages(), "react", "uplot"]))
  })

  it("is the same document for the same packages in any order", () => {
    const of = (name: string) => ({ name, version: "1.0.0", license: "MIT" })
    const [one, two] = [of("@a/one"), of("two")]
    const bom = bomOf(of("own"), [two, one, one])
    expect(bom).toEqual(bomOf(of("own"), [one, two]))
    expect(bom.components.map((component) => component?.purl)).toEqual(["pkg:npm/%40a/one@1.0.0", "pkg:npm/two@1.0.0"])
  })
})
