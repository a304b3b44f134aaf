import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"

/** A package has the files beside its code; in the repository, `apps/console` builds them. */
const packaged = new URL("./console/", import.meta.url)
const source = new URL("../../../../apps/console/", import.meta.url)

let location: Promise<URL> | undefined

const find = async (): Promise<URL> => {
  if (existsSync(packaged)) return packaged
  await build(fileURLToPath(new URL("build.ts", source)))
  return new URL("dist/", source)
}

/** Builds the console. From source, the first request does so, if the sources have changed. */
const build = (script: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [script], { stdio: ["ignore", process.stderr, process.stderr] })
    child.on("error", reject)
    child.on("exit", (code) => (code === 0 ? resolve() : reject(new Error("the console could not be built"))))
  })

/** Returns a file of the console; null if no file has this name. */
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
