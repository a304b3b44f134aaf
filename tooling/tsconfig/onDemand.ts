import { execFileSync } from "node:child_process"
import { cpSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"

const pnpm = join(import.meta.dirname, "../../node_modules/.bin/pnpm")

/**
 * Installs a folder `ondemand`: a pnpm workspace of its own, with a lockfile of its own, for peers and frameworks that only
 * some tests or benchmarks need. Does nothing if what the lockfile says is installed. Throws if the install fails.
 *
 * Several processes may install at once: each installs into a folder of its own, and the first to finish is kept.
 */
export const installOnDemand = (folder: string): NodeJS.Require => {
  const lockfile = readFileSync(join(folder, "pnpm-lock.yaml"), "utf8")
  if (installed(folder) !== lockfile) install(folder, lockfile)
  return createRequire(join(folder, "package.json"))
}

const marker = ".installed-lockfile"

/** The lockfile of what is installed. */
const installed = (folder: string): string | undefined => {
  const path = join(folder, "node_modules", marker)
  return existsSync(path) ? readFileSync(path, "utf8") : undefined
}

const install = (folder: string, lockfile: string) => {
  const unfinished = mkdtempSync(join(folder, ".installing-"))
  const [from, to] = [join(unfinished, "node_modules"), join(folder, "node_modules")]
  try {
    for (const name of ["package.json", "pnpm-lock.yaml", "pnpm-workspace.yaml"]) {
      cpSync(join(folder, name), join(unfinished, name))
    }
    execFileSync(pnpm, ["install", "--frozen-lockfile", "--prefer-offline"], { cwd: unfinished, stdio: "pipe" })
    writeFileSync(join(from, marker), lockfile)
    if (existsSync(to)) renameSync(to, join(unfinished, "outdated"))
    renameSync(from, to)
  } catch (error) {
    if (installed(folder) === lockfile) return
    const { stdout = "" } = error as { readonly stdout?: Buffer | string }
    throw new Error(`${folder} could not be installed: ${(error as Error).message}\n${stdout}`)
  } finally {
    rmSync(unfinished, { recursive: true, force: true })
  }
}
