import { execFile } from "node:child_process"
import { appendFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { freePort, temporaryFolder } from "./process.ts"

/**
 * A folder that stands for a machine's root, for the commands of docs/operating.md: absolute paths are looked for below it. What belongs to
 * the system (systemctl, sudo, users) is played by scripts; everything of ours is real: it is built, copied, configured and
 * started as the page and the unit say.
 */

const repository = fileURLToPath(new URL("../../../../", import.meta.url))
const packaging = join(repository, "apps/server/packaging")

/** Where the page puts things. */
const places = /(?<![\w.$}-])\/(?=(?:opt|etc|var|usr\/local)\/)/g

/** Starts a command line in the background, in the place of the server that runs, and waits until it is ready. */
const startScript = `
start() {
  stop
  "$@" >> "$ROOT/server.log" 2>&1 &
  echo $! > "$ROOT/pid"
  scheme=http
  [ -z "\${TAPEDECK_TLS_CERT:-}" ] || scheme=https
  until curl -fsk "$scheme://127.0.0.1:$TAPEDECK_PORT/readyz" > /dev/null; do
    kill -0 "$(cat "$ROOT/pid")" || { tail -5 "$ROOT/server.log" >&2; exit 1; }
    sleep 0.05
  done
}
stop() {
  [ -f "$ROOT/pid" ] || return 0
  kill -TERM "$(cat "$ROOT/pid")" 2> /dev/null || true
  # The process that reaps orphans takes its time.
  while grep -qs '^State:.[^ZX]' "/proc/$(cat "$ROOT/pid")/status"; do sleep 0.02; done
  rm "$ROOT/pid"
}
`

const scripts: Readonly<Record<string, string>> = {
  // A command for another user runs as that user as far as \`id\` reports, without the variables that it does not name.
  sudo: `[ "$1" = -u ] || exit 64
    export AS="$2"
    shift 2
    kept=
    case "$1" in --preserve-env=*) kept=",\${1#*=},"; shift;; esac
    for name in $(compgen -e TAPEDECK_ || true); do [[ "$kept" == *",$name,"* ]] || unset "$name"; done
    exec "$@"`,
  id: `[ "$1" = -un ] && echo "\${AS:-root}"`,
  useradd: "exit 0",
  // Owners and groups that this machine does not have.
  install: `args=()
    while [ $# -gt 0 ]; do case "$1" in -o|-g) shift 2;; *) args+=("$1"); shift;; esac; done
    exec /usr/bin/install "\${args[@]}"`,
  // The archive of the package, whose files name the places of this machine.
  npm: `[ "$*" = "pack --silent @tapedeck/server" ] || exit 64
    [ -d "$ROOT/package/dist" ] || (cd "$ROOT/package" && fetch-dist) >&2
    tar -czf tapedeck-server.tgz -C "$ROOT" package
    echo tapedeck-server.tgz`,
  systemctl: `${startScript}
  unit="$ROOT/etc/systemd/system/tapedeck.service"
  value() { sed -n "s/^$1=//p" "$unit"; }
  case "$1" in
    daemon-reload) ;;
    stop) stop;;
    enable|start|restart)
      set -a; . "$(value EnvironmentFile)"; set +a
      AS="$(value User)" start $(value ExecStart);;
    *) exit 64;;
  esac`,
  // A server that is started by hand would keep the shell for itself.
  tapedeck: `${startScript}
  if [ "$1" = serve ]; then start "$ROOT/usr/local/bin/tapedeck" "$@"; else exec "$ROOT/usr/local/bin/tapedeck" "$@"; fi`
}

/** Puts the folder `dist` of the package, which is built, into the working directory. */
const builtDist = `cp -R "$REPOSITORY/apps/server/dist" dist`

export interface Machine {
  readonly root: string
  readonly baseUrl: string
  /** Runs a block of the page; gives what it printed. */
  run(block: string): Promise<string>
  /** A file of the machine. */
  read(path: string): string
  /** Appends to a file of the machine. */
  append(path: string, text: string): void
  off(): Promise<void>
}

export const makeMachine = async (fetchDist = builtDist): Promise<Machine> => {
  const folder = await temporaryFolder()
  const root = folder.path
  const [port, metricsPort] = [await freePort(), await freePort()]
  const here = (text: string) =>
    text.replace(places, `${root}/`).replaceAll("4020", String(port)).replaceAll("9464", String(metricsPort))
  for (const path of [
    "bin",
    "home",
    "package",
    "etc/systemd/system",
    "var/lib/tapedeck",
    "var/backups",
    "usr/local/bin"
  ]) {
    mkdirSync(join(root, path), { recursive: true, mode: 0o700 })
  }
  for (const [name, script] of Object.entries({ ...scripts, "fetch-dist": fetchDist })) {
    writeFileSync(join(root, "bin", name), `#!/bin/bash\nset -eu\n${script}\n`, { mode: 0o755 })
  }
  cpSync(packaging, join(root, "package/packaging"), { recursive: true })
  for (const name of ["tapedeck", "tapedeck.env", "tapedeck.service", "tapedeck.yaml"]) {
    const file = join(root, "package/packaging", name)
    writeFileSync(file, here(readFileSync(file, "utf8")))
  }
  cpSync(join(repository, "apps/server/package.json"), join(root, "package/package.json"))
  const env = {
    PATH: `${join(root, "bin")}:${dirname(process.execPath)}:${process.env.PATH}`,
    HOME: root,
    ROOT: root,
    REPOSITORY: repository.replace(/\/$/, ""),
    TAPEDECK_PORT: String(port),
    TAPEDECK_FFMPEG: "off"
  }
  const run = async (block: string) => {
    const options = { cwd: join(root, "home"), env }
    return (await promisify(execFile)("bash", ["--norc", "-euo", "pipefail", "-c", here(block)], options)).stdout
  }
  return {
    root,
    baseUrl: `http://127.0.0.1:${port}`,
    run,
    read: (path) => readFileSync(join(root, path), "utf8"),
    append: (path, text) => appendFileSync(join(root, path), text),
    off: async () => {
      await run("systemctl stop tapedeck").catch(() => {})
      await folder.remove()
    }
  }
}
