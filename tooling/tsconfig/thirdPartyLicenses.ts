import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join, sep } from "node:path"
import { fileURLToPath } from "node:url"
import type { UserConfig } from "tsdown"
import { bomFile, bomOf, namedIn } from "./bom.ts"

type Plugin = Extract<NonNullable<UserConfig["plugins"]>, { readonly name: string }>

/** The file in `dist/` that a package ships with the licences of what its bundles contain. */
export const licensesFile = "THIRD_PARTY_LICENSES"

/** The packages that the console's files contain, as its build lists them. */
const consoleLicenses = fileURLToPath(new URL("../../apps/console/dist/licenses.md", import.meta.url))

interface Manifest {
  readonly name: string
  readonly version: string
  readonly license?: string
}

/** The folder of the installed package that a module belongs to; undefined for the workspace's own modules. */
export const packageFolderOf = (moduleId: string): string | undefined => {
  const file = moduleId.replace(/^\0?(?:[a-z-]+:)?/, "").replace(/[?#].*$/, "")
  const inside = file.lastIndexOf(`${sep}node_modules${sep}`)
  if (inside === -1) return undefined
  const [first = "", second = ""] = file.slice(inside + "/node_modules/".length).split(sep)
  const name = first.startsWith("@") ? join(first, second) : first
  return join(file.slice(0, inside), "node_modules", name)
}

/** The licence's text, and notices that have to be passed on with it. */
const textsIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder)
    .filter((name) => /^(?:licen[cs]e|copying|notice)(?:[.-].*)?$/i.test(name))
    .sort()
    .map((name) => readFileSync(join(folder, name), "utf8").trim())

export interface Bundled {
  readonly name: string
  readonly version: string
  /** The SPDX expression of its manifest. */
  readonly license: string
  /** The texts in its folder; empty if it has none. */
  readonly text: string
}

export const bundledIn = (folder: string): Bundled => {
  const { license = "", name, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest
  return { name, version, license, text: textsIn(folder).join("\n\n") }
}

const scopeOf = (name: string): string | undefined => /^@[^/]+\//.exec(name)?.[0]

/**
 * The file's text: each licence once, below the packages that have it. Some packages of a repository lack the text that the others
 * have: these are of one scope and name one licence. Throws if a package has no text otherwise.
 */
export const licensesOf = (packages: ReadonlyArray<Bundled>): string => {
  const sorted = [...packages].sort((one, other) => (one.name < other.name ? -1 : 1))
  const byText = new Map<string, Array<Bundled>>()
  for (const bundled of sorted) {
    const { license, name, version } = bundled
    const related = sorted.find(
      (other) =>
        other.text !== "" &&
        other.license === license &&
        scopeOf(name) !== undefined &&
        scopeOf(other.name) === scopeOf(name)
    )
    const text = bundled.text === "" ? related?.text : bundled.text
    if (text === undefined) throw new Error(`${name} ${version} is bundled, but has no file with its licence`)
    byText.set(text, [...(byText.get(text) ?? []), bundled])
  }
  const sections = Array.from(byText, ([text, having]) => {
    const titles = having.map(
      ({ license, name, version }) => `${name} ${version} (${license === "" ? "see below" : license})`
    )
    return `${titles.join("\n")}\n\n${text}`
  })
  const intro = "The files here contain code of these packages, under their licences."
  return `${[intro, ...sections].join(`\n\n${"-".repeat(80)}\n\n`)}\n`
}

/**
 * Writes the licences of all packages of which a bundle has code beside the bundle, and a bill of materials of them and of the
 * console's. The bundles of one package share the plugin, so that the files list what any of them has.
 */
export const thirdPartyLicenses = (ownFolder: string): Plugin => {
  const packages = new Map<string, Bundled>()
  return {
    name: "third-party-licenses",
    writeBundle: ({ dir }, bundle) => {
      for (const file of Object.values(bundle)) {
        for (const id of file.type === "chunk" ? file.moduleIds : []) {
          const folder = packageFolderOf(id)
          if (folder !== undefined && !packages.has(folder) && existsSync(join(folder, "package.json")))
            packages.set(folder, bundledIn(folder))
        }
      }
      if (dir === undefined) return
      const bundled = [...packages.values()]
      writeFileSync(join(dir, licensesFile), licensesOf(bundled))
      const own = bundledIn(ownFolder)
      const components = [...bundled, ...namedIn(readFileSync(consoleLicenses, "utf8"))]
      writeFileSync(join(dir, bomFile), JSON.stringify(bomOf(own, components), null, 2))
    }
  }
}
