import type { UserConfig } from "tsdown"

type Plugin = Extract<NonNullable<UserConfig["plugins"]>, { readonly name: string }>

/** An import from an entry of Effect's that exports modules as namespaces, as the bundler writes it. */
const barrelImport = /^import \{ ([^}]+) \} from "(effect|effect\/http|effect\/http-api)";$/gm

/** Functions come from `effect/Function`, everything else is the namespace of a module. */
const byModule = (_ = "", names = "", barrel = ""): string =>
  names
    .split(", ")
    .map((imported) => {
      const [name = "", local = name] = imported.split(" as ")
      return /^[a-z]/.test(name)
        ? `import { ${imported} } from "effect/Function";`
        : `import * as ${local} from "${barrel}/${name}";`
    })
    .join("\n")

/**
 * Imports Effect's modules one by one. An entry that exports namespaces makes esbuild keep all of each namespace, and Node load all
 * modules of the entry.
 */
export const effectModules: Plugin = {
  name: "effect-modules",
  renderChunk: (code, { fileName }) => (fileName.endsWith(".js") ? code.replace(barrelImport, byModule) : null)
}
