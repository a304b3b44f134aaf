import type { UserConfig } from "tsdown"

/** What rolldown reports of the modules that it groups. */
interface ChunkingContext {
  readonly getModuleInfo: (id: string) => { readonly isEntry: boolean } | null
}

/**
 * The part of a module's path that names it: what is below the sources, or the name of a dependency and what is below its build. Modules
 * with one name would have one file.
 */
const nameOf = (id: string): string => {
  const [path = id, folder = ""] = id.split(/\/(?:src|dist)\//).toReversed()
  const owner = id.startsWith(`${process.cwd()}/`) ? "" : `${folder.slice(folder.lastIndexOf("/") + 1)}-`
  return `${owner}${path}`.replace(/\.d\.[cm]?ts$/, "").replaceAll("/", "-")
}

/**
 * Keeps each module's types in a file of their own, and the code as it is bundled. In one file, the types of a package that exports
 * schemas have thousands of lines, too many to read.
 */
export const typesByModule = {
  codeSplitting: {
    includeDependenciesRecursively: false,
    groups: [
      {
        test: /\.d\.[cm]?ts$/,
        // tsdown takes a chunk for types by the end of its name. An entry keeps the name that the manifest exports.
        name: (id: string, context: ChunkingContext) =>
          context.getModuleInfo(id)?.isEntry === true ? null : `${nameOf(id)}.d`
      }
    ]
  }
} satisfies UserConfig["outputOptions"]
