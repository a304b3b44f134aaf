import { execFile } from "node:child_process"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { emulatorMain, freePort, serverMain, temporaryFolder } from "../../src/support/process.ts"

const root = fileURLToPath(new URL("../../../../", import.meta.url))

/** Starts a command in the background, in the place of the one of its name that runs, and waits until it answers. */
const start = (name: string, ready: string) => `
[ ! -f "$PLACE/${name}.pid" ] || stop-${name}
node "${join(root, name === "server" ? serverMain : emulatorMain)}" "$@" > "$PLACE/${name}.out" 2> "$PLACE/${name}.err" &
echo $! > "$PLACE/${name}.pid"
until curl -fs "${ready}" > /dev/null; do
  kill -0 "$(cat "$PLACE/${name}.pid")" || { cat "$PLACE/${name}.err" >&2; exit 1; }
  sleep 0.05
done`

const stop = (name: string) => `
kill -TERM "$(cat "$PLACE/${name}.pid")"
while grep -qs '^State:.[^ZX]' "/proc/$(cat "$PLACE/${name}.pid")/status"; do sleep 0.02; done
rm "$PLACE/${name}.pid"`

interface Ports {
  readonly emulator: number
  readonly server: number
}

/** The commands that documents use and that start something: as they are built, in the background where they serve. */
const commands = ({ emulator, server }: Ports): Readonly<Record<string, string>> => ({
  "stop-server": stop("server"),
  "stop-emulator": stop("emulator"),
  tapedeck: `if [ "$1" != serve ]; then exec node "${join(root, serverMain)}" "$@"; fi
    ${start("server", `http://127.0.0.1:${server}/readyz`)}`,
  "tapedeck-emulator": `case "$*" in *--port*) ;; *) set -- "$@" --port ${emulator};; esac
    ${start("emulator", `http://127.0.0.1:${emulator}/_emulator`)}`,
  npx: `case "$*" in
      "pnpm -s emulator"*) shift 3; exec tapedeck-emulator "$@";;
      "pnpm -s server"*) shift 3; exec tapedeck "$@";;
      "@tapedeck/server"*) shift; exec tapedeck "$@";;
      *) exit 64;;
    esac`,
  npm: `[ "$*" = "install --global @tapedeck/server" ]`
})

/** A shell in an empty directory, for the commands of documents. Its input is a socket, for which bash would read the start file of the machine. */
export interface Shell {
  readonly folder: string
  readonly urls: Readonly<Record<keyof Ports, string>>
  /** Runs a block, with the ports of this shell. Each `curl` ends its output with a line break. */
  readonly run: (block: string, variables?: Readonly<Record<string, string>>) => Promise<string>
  /** The output of the running command until now. */
  readonly printed: (name: keyof Ports) => string
  readonly close: () => Promise<void>
}

export const openShell = async (): Promise<Shell> => {
  const place = await temporaryFolder()
  const [bin, folder] = [join(place.path, "bin"), join(place.path, "empty")]
  for (const path of [bin, folder]) mkdirSync(path)
  const ports = { emulator: await freePort(), server: await freePort() }
  for (const [name, script] of Object.entries(commands(ports)))
    writeFileSync(join(bin, name), `#!/bin/bash\nset -eu\n${script}\n`, { mode: 0o755 })
  const here = (text: string) =>
    text.replaceAll("4010", String(ports.emulator)).replaceAll("4020", String(ports.server))
  const run: Shell["run"] = async (block, variables = {}) => {
    const env = {
      PATH: `${bin}:${dirname(process.execPath)}:${process.env.PATH}`,
      HOME: folder,
      PLACE: place.path,
      TAPEDECK_PORT: String(ports.server),
      TAPEDECK_FFMPEG: "off",
      ...variables
    }
    const script = `set -euo pipefail\n${here(block)}`
    return (await promisify(execFile)("bash", ["--norc", "-c", script], { cwd: folder, env })).stdout
  }
  return {
    folder,
    urls: { emulator: `http://127.0.0.1:${ports.emulator}`, server: `http://127.0.0.1:${ports.server}` },
    run,
    printed: (name) => readFileSync(join(place.path, `${name}.out`), "utf8"),
    close: async () => {
      await run(`for name in emulator server; do [ ! -f "$PLACE/$name.pid" ] || "stop-$name"; done`)
      await place.remove()
    }
  }
}
