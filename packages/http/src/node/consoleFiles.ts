import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"

/** In a package, the files are beside its code; in the repository, `apps/console` builds them. */
const packaged = new URL("./console/", import.meta.url)
const source = new URL("../../../../apps/console/", import.meta.url)

let location: Promise<URL> | undefined

const find = async (): Promise<URL> => {
  if (existsSync(packaged)) return packaged
  await build(fileURLToPath(new URL("build.ts", source)))
  return new URL("dist/", source)
}

/** From source, the first request builds the console, if its sources have changed. */
const build = (script: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [script], { stdio: ["ignore", process.stderr, process.stderr] })
    child.on("error", reject)
    child.on("exit", (code) => (code === 0 ? resolve() : reject(new Error("the console could not be built"))))
  })

/** A file of the console; null where there is none of this name. */
export const readConsoleFile = async (path: string): Promise<Buffer | null> => {
  location ??= find()
  location.catch(() => {
    location = undefined
  })
  const file = new URL(path, await location)
  return readFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null
    throw error
  })
}
