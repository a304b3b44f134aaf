import { execFileSync } from "node:child_process"
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { oneChecker, withoutCollection } from "@tapedeck/tsconfig/compiler.ts"
import type { UserConfig } from "tsdown"
import { documentStartDocument } from "./startDocumentTypes.ts"

type Plugin = Extract<NonNullable<UserConfig["plugins"]>, { readonly name: string }>

const root = import.meta.dirname
const workspace = resolve(root, "../..")

/** The packages whose types the library's own are made of. */
const packages = ["emulator", "dispatcher", "core", "fixtures", "domain", "signing"]

/**
 * Has tsc declare the types of the sources, this package's and those that it bundles. tsdown bundles from them, as it
 * bundles the code: who installs the package needs neither the workspace's packages nor Effect to be told the types.
 */
export const declarations = () => {
  const folder = mkdtempSync(join(root, "node_modules/.declarations-"))
  process.once("exit", () => rmSync(folder, { recursive: true }))
  const project = join(folder, "tsconfig.json")
  const settings = {
    extends: join(workspace, "tooling/tsconfig/base.json"),
    include: packages.map((name) => join(workspace, "packages", name, "src")),
    compilerOptions: {
      noEmit: false,
      declaration: true,
      emitDeclarationOnly: true,
      // What is wrong is found by the type check.
      noCheck: true,
      rootDir: workspace,
      outDir: folder,
      typeRoots: [join(root, "node_modules/@types")]
    }
  }
  writeFileSync(project, JSON.stringify(settings))
  execFileSync(join(workspace, "node_modules/.bin/tsc"), ["-p", project, ...oneChecker], {
    stdio: "inherit",
    env: withoutCollection
  })
  const fileOf = (name: string, path: string) => join(folder, "packages", name, "src", path)
  documentStartDocument((path) => fileOf("fixtures", path))
  for (const file of globSync(join(folder, "**/*.d.ts"))) importDeclared(file, fileOf)
  return {
    entry: (name: string) => fileOf("emulator", `${name}.d.ts`),
    plugins: [declaredModules, globalNames, noGlobals]
  }
}

/**
 * Names the declarations of the other packages by their files. tsdown would read a package's name as an editor does, and
 * find what the package's last build declared.
 */
const importDeclared = (file: string, fileOf: (name: string, path: string) => string) => {
  const declared = readFileSync(file, "utf8").replaceAll(
    /"@tapedeck\/([a-z]+)((?:\/[a-z]+)*)"/g,
    (specifier, name: string, entry: string) =>
      name !== "emulator" && packages.includes(name)
        ? JSON.stringify(fileOf(name, declarationOf(name, entry)))
        : specifier
  )
  writeFileSync(file, declared)
}

/** The declaration of an entry's source, as the package's manifest names it, below its `src`. */
const declarationOf = (name: string, entry: string): string => {
  const { exports } = JSON.parse(readFileSync(join(workspace, "packages", name, "package.json"), "utf8"))
  return exports[`.${entry}`].source.replace("./src/", "").replace(/\.ts$/, ".d.ts")
}

/** Finds the declarations of a module that is imported by its source's name. */
const declaredModules: Plugin = {
  name: "declared-modules",
  resolveId: {
    order: "pre",
    handler(id, importer) {
      if (importer === undefined || !/^\.{1,2}\/.*\.ts$/.test(id)) return null
      const file = resolve(dirname(importer), id.replace(/(\.d)?\.ts$/, ".d.ts"))
      return existsSync(file) ? file : null
    }
  }
}

/** Effect gives the global `Error` keys that users of this package have no use for. */
const noGlobals: Plugin = {
  name: "no-globals",
  renderChunk: (code) => code.replaceAll(/^declare global \{\n(?: .*\n)*\}\n/gm, "")
}

/**
 * Effect's Schema has values named like global types. Where both are used in one bundle, the bundler takes the type for
 * the value, and renames it along.
 */
const globalNames: Plugin = {
  name: "global-names",
  renderChunk: (code) => code.replaceAll(/\b(PropertyKey)\$1\b(?!:)/g, "$1").replaceAll(/\b(Record)\$1(?=<)/g, "$1")
}
