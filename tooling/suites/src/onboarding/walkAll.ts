import { existsSync } from "node:fs"
import { mkdir } from "node:fs/promises"
import { homedir } from "node:os"
import { delimiter, join } from "node:path"
import type { Workplace } from "../release/Workplace.ts"
import { makeMachine } from "../support/machine.ts"
import { runWalks } from "./runWalks.ts"
import { recordingWalk, secondNodeWalk, serverWalk } from "./serverWalks.ts"
import { pytestWalk, vitestWalk } from "./testWalks.ts"
import type { Place, Walk } from "./Walk.ts"

const walks: ReadonlyArray<Walk> = [vitestWalk, pytestWalk, serverWalk, recordingWalk, secondNodeWalk]

/** Systems and services of the documents that this command cannot try. */
const untried = [
  "macOS and Windows",
  "systemd, sudo and the users of a system: scripts stand for them (src/support/machine.ts)",
  "Docker, Compose and Kubernetes",
  "npm's own registry, GitHub and PyPI",
  "a mail server with TLS, a certificate of an authority, a name in the DNS"
]

/** The machine's settings of pip, which name its mirror: by variables, or in the file of its user. */
const ofPip = (): Readonly<Record<string, string | undefined>> => {
  const file = join(homedir(), ".config/pip/pip.conf")
  const variables = Object.entries(process.env).filter(([name]) => name.startsWith("PIP_"))
  return { ...(existsSync(file) && { PIP_CONFIG_FILE: file }), ...Object.fromEntries(variables) }
}

const makePlace = ({ atEnd, bare, bin, folder, home, run }: Workplace): Place => {
  const globals = join(home, "global")
  const env = { ...bare(), ...ofPip(), NPM_CONFIG_PREFIX: globals }
  const system = ["/usr/local/bin", "/usr/bin", "/bin"]
  const python = (process.env.PATH ?? "").split(delimiter).filter((path) => path.includes("pyenv"))
  const pathOf = (first: ReadonlyArray<string>) =>
    [...first, bin, join(globals, "bin"), ...python, ...system].join(delimiter)
  return {
    atEnd,
    emptyDirectory: async (name) => {
      const path = join(folder, `walk-${name}`)
      await mkdir(path)
      return path
    },
    run: (block, { cwd, path = [], variables = {} }) =>
      run("bash", ["--norc", "-euo", "pipefail", "-c", block], {
        cwd,
        env: { ...env, ...variables, PATH: pathOf(path) }
      }),
    machine: async () => {
      const variables = Object.entries(bare()).filter(([name]) => name.startsWith("NPM_CONFIG_"))
      const exports = variables.map(([name, value]) => `export ${name}='${value}'`).join("\n")
      const npm = join(bin, "npm")
      const machine = await makeMachine(
        `${exports}\ntar -xzf "$("${npm}" pack --silent @tapedeck/server)" --strip-components=1 package/dist`
      )
      atEnd(() => machine.off())
      return machine
    }
  }
}

/** Runs every walk, prints what no walk tries, and returns whether all passed. With `CI` set, none may lack a program. */
export const walkAll = async (workplace: Workplace): Promise<boolean> => {
  const isPassed = await runWalks(walks, makePlace(workplace), { isMissingAllowed: !process.env.CI })
  console.log(`\nNot tried here:\n${untried.map((one) => `  ${one}\n`).join("")}`)
  return isPassed
}
