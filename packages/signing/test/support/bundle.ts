import { join } from "node:path"
import { type RolldownPlugin, rolldown } from "rolldown"
import { packageDirectory } from "./run.ts"

/**
 * Bundles a module that imports from `@tapedeck/signing` as it is built, for a runtime that is named by its export condition
 * (`browser`, `edge-light`, `node`).
 */
export const bundle = async (
  code: string,
  { condition, format = "esm" }: { readonly condition: string; readonly format?: "esm" | "iife" }
): Promise<string> => {
  const entry: RolldownPlugin = {
    name: "entry",
    resolveId: (id) => {
      if (id === "entry") return id
      const [, subpath] = /^@tapedeck\/signing(?:\/(.+))?$/.exec(id) ?? []
      return id.startsWith("@tapedeck/signing") ? join(packageDirectory, "dist", `${subpath ?? "index"}.js`) : undefined
    },
    load: (id) => (id === "entry" ? code : undefined)
  }
  const built = await rolldown({
    input: "entry",
    platform: "neutral",
    external: [/^node:/],
    resolve: { conditionNames: [condition, "import", "default"] },
    plugins: [entry]
  })
  const { output } = await built.generate({ format, minify: true, name: "signing" })
  await built.close()
  return output[0].code
}
