import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { chmodSync, chownSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { promisify } from "node:util"
import { end, removeOrphans, serverOf, writeOwner } from "./orphans.ts"
import { type Place, preparePlace } from "./place.ts"

/** How a server stops: `fast` rolls back and closes what is open; `immediate` is a crash, with recovery at the next start. */
export type StopMode = "fast" | "immediate"

/** Settings of PostgreSQL by their names. */
export type PostgresSettings = Readonly<Record<string, string | number>>

/**
 * Holds the server as long as its standard input is open, which is as long as this process lives, however it ends. Removes the data,
 * which may be in memory.
 * $1 pg_ctl, $2 the data's directory, $3 the log, $4 the server's options.
 */
const keeper = `"$1" -D "$2" -w -t 60 -s -l "$3" -o "$4" start && echo started
cat >/dev/null
server=$(head -n 1 "$2/postmaster.pid" 2>/dev/null) && kill -QUIT "$server" &&
while kill -0 "$server" 2>/dev/null; do sleep 0.05; done
rm -rf "$2"`

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as { readonly port: number }
  server.close()
  await once(server, "close")
  return port
}

/** A certificate and its key (PEM), for a server that has TLS. */
export interface ServerTls {
  readonly cert: string
  readonly key: string
}

const optionsOf = (port: number, settings: PostgresSettings): string =>
  Object.entries({
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    port,
    max_connections: 200,
    ...settings
  })
    .map(([name, value]) => `-c ${name}=${String(value) === "" ? "''" : value}`)
    .join(" ")

/** A PostgreSQL of this process: its own data, on a port of its own. */
export class Cluster {
  readonly port: number
  private readonly directory: string
  private readonly place: Place
  private readonly options: string
  private held: ChildProcess | undefined

  private constructor(place: Place, directory: string, port: number, settings: PostgresSettings) {
    this.place = place
    this.directory = directory
    this.port = port
    this.options = optionsOf(port, settings)
  }

  static async start(settings: PostgresSettings, tls?: ServerTls): Promise<Cluster> {
    const place = preparePlace()
    await removeOrphans(place.clusters)
    const directory = mkdtempSync(join(place.clusters, "cluster-"))
    chmodSync(directory, 0o755)
    writeOwner(directory)
    const { identity } = place
    if (identity !== undefined) execFileSync("chown", [`${identity.uid}:${identity.gid}`, directory])
    execFileSync("cp", ["-R", "-p", place.blank, join(directory, "data")], { ...identity, cwd: "/" })
    const more = tls === undefined ? settings : { ...settings, ssl: "on" }
    const cluster = new Cluster(place, directory, await freePort(), more)
    if (tls !== undefined) cluster.keepTls(tls)
    await cluster.hold()
    return cluster
  }

  private keepTls({ cert, key }: ServerTls): void {
    const { identity } = this.place
    for (const [name, pem] of [["server.crt", cert] as const, ["server.key", key] as const]) {
      const file = join(this.data, name)
      writeFileSync(file, pem, { mode: 0o600 })
      if (identity !== undefined) chownSync(file, identity.uid, identity.gid)
    }
  }

  private async hold(): Promise<void> {
    const { binaries, identity } = this.place
    const parameters = [join(binaries, "pg_ctl"), this.data, this.log, this.options]
    const supervisor = spawn("/bin/sh", ["-c", keeper, "keeper", ...parameters], {
      ...identity,
      cwd: "/",
      // Of a group of its own: ^C is for the tests, which end it.
      detached: true,
      stdio: ["pipe", "pipe", "ignore"]
    })
    const started = await Promise.race([
      once(supervisor.stdout, "data").then(() => true),
      once(supervisor, "exit").then(() => false)
    ])
    if (!started) throw new Error(`PostgreSQL did not start:\n${readFileSync(this.log, "utf8")}`)
    supervisor.unref()
    for (const pipe of [supervisor.stdin, supervisor.stdout]) (pipe as unknown as { unref: () => void }).unref()
    this.held = supervisor
  }

  private get data(): string {
    return join(this.directory, "data")
  }

  private get log(): string {
    return join(this.directory, "log")
  }

  /** The server's process, which begins its sessions. */
  get pid(): number {
    return serverOf(this.directory) as number
  }

  /** Until `start`, the port does not answer. */
  async stop(mode: StopMode): Promise<void> {
    const server = serverOf(this.directory)
    if (server !== undefined) await end(server, mode === "fast" ? "SIGINT" : "SIGQUIT")
  }

  async start(): Promise<void> {
    const parameters = ["-D", this.data, "-s", "-w", "-t", "60", "-l", this.log, "-o", this.options, "start"]
    await promisify(execFile)(join(this.place.binaries, "pg_ctl"), parameters, { ...this.place.identity, cwd: "/" })
  }

  /** What the server wrote, for a test that failed. */
  logged(): string {
    return readFileSync(this.log, "utf8")
  }

  /** Stops it for good, and removes what it had. */
  async remove(): Promise<void> {
    const supervisor = this.held
    this.held = undefined
    if (supervisor === undefined) return
    await this.stop("immediate")
    const ended = once(supervisor, "exit")
    supervisor.ref()
    supervisor.stdin?.end()
    await ended
    rmSync(this.directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
  }
}
