import { execFileSync } from "node:child_process"
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { stripTypeScriptTypes } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join, relative } from "node:path"
import { installOnDemand } from "../onDemand.ts"

const root = join(import.meta.dirname, "../../..")

/** Commands that exist as one file, by the folder of their package. */
export const programs = { "tapedeck-emulator": "packages/emulator", tapedeck: "apps/server" } as const

export type ProgramName = keyof typeof programs

export const isProgram = (name: string): name is ProgramName => Object.hasOwn(programs, name)

interface Target {
  /** Node's executable for the target: 24.8 or newer, with `LICENSE` in the folder above its own. */
  readonly node: string
  /** Path of the program. */
  readonly output: string
}

/** Writes a command as one file: a copy of Node's executable that contains the package's built `dist/`. */
export const buildProgram = (name: ProgramName, { node, output }: Target): void => {
  const dist = join(root, programs[name], "dist")
  const folder = mkdtempSync(join(tmpdir(), "tapedeck-program-"))
  try {
    const main = join(folder, "entry.cjs")
    const blob = join(folder, "program.blob")
    const config = join(folder, "config.json")
    writeFileSync(main, stripTypeScriptTypes(readFileSync(join(import.meta.dirname, "entry.ts"), "utf8")))
    const settings = {
      main,
      output: blob,
      disableExperimentalSEAWarning: true,
      // Of the loader that the entry uses.
      execArgv: ["--disable-warning=ExperimentalWarning"],
      assets: {
        ...Object.fromEntries(filesOf(dist).map((file) => [file, join(dist, file)])),
        LICENSE: join(root, "LICENSE"),
        NODE_LICENSE: join(dirname(node), "../LICENSE")
      }
    }
    writeFileSync(config, JSON.stringify(settings))
    execFileSync(process.execPath, ["--experimental-sea-config", config], { stdio: "pipe" })
    mkdirSync(dirname(output), { recursive: true })
    rmSync(output, { force: true })
    copyFileSync(node, output)
    chmodSync(output, 0o755)
    inject(output, blob)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Files that a command in `dist/` can read: the chunks that its entry leads to, their source maps, and what lies beside them. */
const filesOf = (dist: string): ReadonlyArray<string> => {
  const chunks = new Set(["main.js"])
  for (const chunk of chunks) {
    for (const [, imported = ""] of readFileSync(join(dist, chunk), "utf8").matchAll(/["'`]\.\/([\w.-]+\.js)["'`]/g))
      if (existsSync(join(dist, imported))) chunks.add(imported)
  }
  const maps = [...chunks].map((chunk) => `${chunk}.map`).filter((map) => existsSync(join(dist, map)))
  const folders = readdirSync(dist, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.parentPath !== dist)
    .map((entry) => relative(dist, join(entry.parentPath, entry.name)))
  return [...chunks, ...maps, ...folders, "THIRD_PARTY_LICENSES"]
}

/** The text in Node's executable that says whether a program follows. */
const sentinelFuse = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2"

const inject = (output: string, blob: string): void => {
  const postject = installOnDemand(join(import.meta.dirname, "ondemand")).resolve("postject/dist/cli.js")
  const options = ["--sentinel-fuse", sentinelFuse, "--macho-segment-name", "NODE_SEA"]
  const run = (command: string, ...args: ReadonlyArray<string>) => execFileSync(command, args, { stdio: "pipe" })
  // macOS starts signed executables only, and the signature of Node's does not fit the result.
  if (process.platform === "darwin") run("codesign", "--remove-signature", output)
  run(process.execPath, postject, output, "NODE_SEA_BLOB", blob, ...options)
  if (process.platform === "darwin") run("codesign", "--sign", "-", output)
}
