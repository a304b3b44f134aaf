import { writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { bundledIn, licensesFile, licensesOf, packageFolderOf } from "@tapedeck/tsconfig/thirdPartyLicenses.ts"
import { build, type Plugin } from "rolldown"

const file = (name: string): string => join(import.meta.dirname, name)

/** The modules that take the places of Node's in a page. */
const standIns: Readonly<Record<string, string>> = {
  "node:crypto": file("standIns/crypto.ts"),
  "node:fs": file("standIns/files.ts"),
  "node:http": file("standIns/http.ts"),
  "node:net": file("standIns/net.ts"),
  "node:path": file("standIns/files.ts"),
  "node:perf_hooks": file("standIns/performance.ts"),
  "node:timers": file("standIns/timers.ts"),
  "node:zlib": file("standIns/zlib.ts")
}

const plugin: Plugin = {
  name: "stand-ins",
  resolveId: {
    order: "pre",
    handler: (id) => (id.endsWith("/consoleFiles.ts") ? file("standIns/consoleFiles.ts") : (standIns[id] ?? null))
  }
}

/** The emulator for browsers. */
export const browserEntry = file("index.ts")

/** Bundles a module for browsers into one file, and writes the licences of the packages that it contains beside it. */
export const bundleForBrowser = async (input: string, outputFile: string): Promise<void> => {
  const { output } = await build({
    input,
    // With the conditions of a browser, signing could not answer at once.
    platform: "neutral",
    plugins: [plugin],
    resolve: { conditionNames: ["source", "import", "default"], mainFields: ["module", "main"] },
    treeshake: { propertyReadSideEffects: false },
    transform: {
      target: "es2023",
      inject: {
        Buffer: [file("standIns/buffer.ts"), "Buffer"],
        Request: [file("standIns/request.ts"), "Request"]
      }
    },
    output: { file: outputFile, format: "esm", minify: true, codeSplitting: false }
  })
  const modules = output.flatMap((written) => (written.type === "chunk" ? written.moduleIds : []))
  const packages = new Set(modules.flatMap((id) => packageFolderOf(id) ?? []))
  if (packages.size === 0) return
  await writeFile(join(dirname(outputFile), licensesFile), licensesOf([...packages].map(bundledIn)))
}
