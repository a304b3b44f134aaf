/**
 * Builds the console to `dist/`, unless what is there was made of the same files. `pnpm start`, the builds of server and
 * emulator, and servers that run from source call it before they serve the console.
 */
import { createHash } from "node:crypto"
import { existsSync, globSync, readFileSync } from "node:fs"
import { readdir, readFile, rename, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { faultVariable } from "@tapedeck/tsconfig/plantedFault.ts"

const directory = import.meta.dirname
const dist = join(directory, "dist")
const scripts = join(directory, "../../packages/capture/src")
const digestFile = join(dist, "inputs.sha256")

/** All that the build reads. Versions of packages are in the lockfile. */
const inputs = [
  "{src,public}/**/*",
  "*.{ts,html,json}",
  "../capture/{src/*,package.json}",
  "../../packages/{capture,client,domain,signing}/src/**/*.ts",
  "../../pnpm-lock.yaml"
]

const digestOf = (): string => {
  const hash = createHash("sha256").update(process.env[faultVariable] ?? "")
  for (const path of globSync(inputs, { cwd: directory }).toSorted()) {
    const file = join(directory, path)
    if (/\.\w+$/.test(path)) hash.update(`${path}\n`).update(readFileSync(file))
  }
  return hash.digest("hex")
}

const isBuiltFrom = (digest: string): boolean => existsSync(digestFile) && readFileSync(digestFile, "utf8") === digest

/** A compressed copy beside each file that is text, so that no server compresses while it serves. */
const compress = async (folder: string): Promise<void> => {
  for (const name of await readdir(folder)) {
    if (!/\.(?:js|css|svg)$/.test(name)) continue
    await writeFile(join(folder, `${name}.gz`), gzipSync(await readFile(join(folder, name)), { level: 9 }))
  }
}

/** Builds all files into a folder of their own. */
const buildInto = async (made: string, digest: string): Promise<void> => {
  const { build } = await import("vite")
  await build({ root: directory, logLevel: "warn", build: { outDir: made, emptyOutDir: true } })
  // Sites load the first, which imports the second when a person records. Neither has `effect` or React.
  const { builtIns } = (await import(join(scripts, "intrinsics.ts"))) as { readonly builtIns: object }
  const names = Object.keys(builtIns).join()
  for (const { entry, file, around } of [
    { entry: "main", file: "capture.js", around: (code: string) => `{const{${names}}=globalThis;${code}}` },
    {
      entry: "redactor",
      file: "capture-redactor.js",
      around: (code: string) => `export const load=({${names}})=>{${code};return redactor}`
    }
  ]) {
    await build({
      configFile: false,
      root: directory,
      logLevel: "warn",
      resolve: { conditions: ["source"] },
      build: {
        target: "es2022",
        outDir: made,
        emptyOutDir: false,
        copyPublicDir: false,
        lib: {
          entry: join(scripts, `script/${entry}.ts`),
          formats: ["iife"],
          name: entry,
          fileName: () => file
        }
      }
    })
    await writeFile(join(made, file), around(await readFile(join(made, file), "utf8")))
  }
  await compress(made)
  await compress(join(made, "assets"))
  await writeFile(join(made, "inputs.sha256"), digest)
}

const digest = digestOf()
if (!isBuiltFrom(digest)) {
  console.error("Building the console …")
  // Where tests build, theirs would select the development variants of packages.
  process.env.NODE_ENV = "production"
  // Another process may build or serve at the same time: it sees the old files, or all of the new ones.
  const made = join(directory, `dist-${process.pid}`)
  try {
    await buildInto(made, digest)
    await rm(dist, { recursive: true, force: true })
    await rename(made, dist).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOTEMPTY" && error.code !== "EEXIST") throw error
    })
  } finally {
    await rm(made, { recursive: true, force: true })
  }
  console.error("Built the console.")
}
