/** The file in `dist/` that lists what a package contains: a bill of materials (SBOM). */
export const bomFile = "sbom.cdx.json"

/** A package, with the SPDX expression of its licence, which is empty if its manifest has none. */
interface Component {
  readonly name: string
  readonly version: string
  readonly license: string
}

/** The packages in a list of licences by Vite: `## NAME - VERSION (LICENSE)`. */
export const namedIn = (list: string): ReadonlyArray<Component> =>
  Array.from(list.matchAll(/^## (\S+) - (\S+) \(([^)]*)\)$/gm), ([, name = "", version = "", license = ""]) => ({
    name,
    version,
    license
  }))

const purlOf = ({ name, version }: Component): string => `pkg:npm/${name.replace("@", "%40")}@${version}`

const componentOf = (type: "application" | "library", component: Component) => {
  const { license, name, version } = component
  const purl = purlOf(component)
  return { type, "bom-ref": purl, name, version, ...(license !== "" && { licenses: [{ expression: license }] }), purl }
}

/** The bill of materials, by CycloneDX 1.6. The same packages in any order give the same document. */
export const bomOf = (of: Component, contained: ReadonlyArray<Component>) => {
  const components = new Map(contained.map((each) => [purlOf(each), componentOf("library", each)]))
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: { component: componentOf("application", of) },
    components: [...components.keys()].toSorted().map((purl) => components.get(purl))
  }
}
