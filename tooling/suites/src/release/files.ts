/** `pnpm release:files`: the files of a release on GitHub, with their sums. */
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { createReadStream, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { pipeline } from "node:stream/promises"
import { parseArgs } from "node:util"
import { programs } from "@tapedeck/tsconfig/programs/buildProgram.ts"
import type { Archives } from "./archive.ts"
import { archivePrograms, isSystem, systems } from "./programFiles.ts"

const usage = `npx pnpm -s release:files [options]

  --programs DIR  folder with the programs of build:programs, of any number of
                  systems, in folders of any name (default dist/)
  --system NAME   ${systems.join(", ")}; can be repeated.
                  All by default: a missing program is an error
  --out DIR       folder of the files, which is emptied first (default dist/release/)
  --help          this text`

const readOptions = () => {
  try {
    return parseArgs({
      options: {
        programs: { type: "string", default: "dist" },
        system: { type: "string", multiple: true, default: [...systems] },
        out: { type: "string", default: "dist/release" },
        help: { type: "boolean", default: false }
      }
    }).values
  } catch (cause) {
    console.error(`${(cause as Error).message}\n\n${usage}`)
    return process.exit(2)
  }
}

const options = readOptions()
if (options.help) {
  console.log(usage)
  process.exit()
}
const unknown = options.system.filter((name) => !isSystem(name))
if (unknown.length > 0) {
  console.error(`--system: ${unknown.join(", ")} is no system of the programs\n\n${usage}`)
  process.exit(2)
}

const sumOf = async (file: string): Promise<string> => {
  const hash = createHash("sha256")
  await pipeline(createReadStream(file), hash)
  return hash.digest("hex")
}

const time = Number(execFileSync("git", ["log", "-1", "--format=%ct"], { encoding: "utf8" }))
const archives: Archives = { out: resolve(options.out), time }
const { out } = archives
rmSync(out, { recursive: true, force: true })
mkdirSync(out, { recursive: true })
try {
  const names = Object.keys(programs)
  archivePrograms({ from: resolve(options.programs), names, systems: options.system.filter(isSystem) }, archives)
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
