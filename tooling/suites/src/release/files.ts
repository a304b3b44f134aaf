/**
 * `pnpm release:files`: the files of a release on GitHub, with their sums, in `dist/release/`, which it empties first. It takes the
 * programs of `build:programs` from `dist/` and the folders in it. Requires GNU tar.
 */
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { createReadStream, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { pipeline } from "node:stream/promises"
import { programs } from "@tapedeck/tsconfig/programs/buildProgram.ts"
import { commandOptions } from "../support/commandOptions.ts"
import { packHelpers } from "./helperFiles.ts"
import { archivePrograms, systems } from "./programFiles.ts"
import { version } from "./version.ts"

const { system } = commandOptions("release:files", {
  system: { is: "names", of: systems, about: "system whose programs must exist" }
})

const sumOf = async (file: string): Promise<string> => {
  const hash = createHash("sha256")
  await pipeline(createReadStream(file), hash)
  return hash.digest("hex")
}

const from = join(import.meta.dirname, "../../../../dist")
const out = join(from, "release")
rmSync(out, { recursive: true, force: true })
mkdirSync(out, { recursive: true })
const time = Number(execFileSync("git", ["log", "-1", "--format=%ct"], { encoding: "utf8" }))
try {
  archivePrograms({ from, names: Object.keys(programs), systems: system }, { out, time })
  packHelpers(version, { out, time })
} catch (error) {
  console.error((error as Error).message)
  process.exit(1)
}
const sums: Array<string> = []
for (const name of readdirSync(out).toSorted()) {
  const file = join(out, name)
  sums.push(`${await sumOf(file)}  ${name}\n`)
  console.log(`${file}  ${Math.ceil(statSync(file).size / 1e6)} MB`)
}
writeFileSync(join(out, "SHA256SUMS"), sums.join(""))
