import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { Life } from "../crash/Life.ts"
import { startPostgres, type TestDatabases } from "../postgres/index.ts"
import { cert } from "../support/certificate.ts"
import { emulatorMain, type Folder, startProcess } from "../support/process.ts"
import type { StartDocument } from "../support/target.ts"
import type { TargetName } from "./targets.ts"

/** An admin and a member, by the same tokens on every target. */
export const ada = "token-of-ada"
const bob = "token-of-bob"
const people = {
  users: [
    { id: 11, email: "ada@acme.test", name: "Ada", role: "admin", token: ada },
    { id: 12, email: "bob@acme.test", name: "Bob", role: "member", token: bob }
  ]
}

export interface ServiceOptions {
  readonly target: TargetName
  readonly folder: Folder
  readonly document: StartDocument
  readonly args: ReadonlyArray<string>
  readonly environment: Readonly<Record<string, string>>
  /** How the command is called, where it is to see a small disk. */
  readonly wrap?: (command: ReadonlyArray<string>) => ReadonlyArray<string>
  /** Where the data directory is, in the folder unless it is said. */
  readonly data?: string
}

/** A real process that is attacked. */
export interface Service {
  readonly baseUrl: string
  /** Of paths, where the base address has one. */
  readonly prefix: string
  readonly pid: number
  /** What answers while the process lives. */
  readonly healthPath: string
  readonly receiverScheme: "http" | "https"
  readonly log: () => string
  stop(): Promise<void>
}

/** The options of Node with which the systemd unit starts the server, and the container the emulator. */
const nodeOptions = async (): Promise<string> => {
  const unit = await readFile(new URL("../../../../apps/server/packaging/tapedeck.service", import.meta.url), "utf8")
  return /^ExecStart=\S+ node ((?:--\S+ )*)/m.exec(unit)?.[1]?.trim() ?? ""
}

let postgres: Promise<TestDatabases> | undefined

/** A PostgreSQL for all attacks of this process. */
export const databaseUrl = async (): Promise<string> => {
  postgres ??= startPostgres()
  return (await (await postgres).createDatabase()).url
}

const lives = new Set<Life>()
process.once("exit", () => {
  for (const life of lives) life.kill("SIGKILL")
})

export const startService = async (options: ServiceOptions): Promise<Service> => {
  const { folder, target } = options
  const file = await folder.write("fixtures.json", JSON.stringify({ ...people, ...options.document }))
  return target === "emulator" ? startEmulator(file) : startServer(options, file)
}

const startEmulator = async (fixtures: string): Promise<Service> => {
  const args = ["--port", "0", "--json", "--quiet", "--fixtures", fixtures]
  const started = await startProcess<{ readonly base_url: string }>(emulatorMain, args, {
    NODE_OPTIONS: await nodeOptions()
  })
  return {
    baseUrl: started.ready.base_url,
    prefix: new URL(started.ready.base_url).pathname.replace(/\/$/, ""),
    pid: started.pid,
    healthPath: "/_emulator",
    receiverScheme: "http",
    log: () => "",
    stop: started.stop
  }
}

const startServer = async (
  { args, data, environment, folder, target, wrap }: ServiceOptions,
  fixtures: string
): Promise<Service> => {
  const caFile = await folder.write("ca.pem", cert)
  const network = ["--allow-receivers", "127.0.0.0/8", "--ca-file", caFile]
  const store = target === "sqlite" ? ["--store", "sqlite"] : []
  const life = new Life({
    data: data ?? join(folder.path, "data"),
    more: [...store, "--fixtures", fixtures, "--log-level", "error", ...network, ...args],
    environment: { NODE_OPTIONS: await nodeOptions(), ...environment },
    ...(wrap !== undefined && { wrap })
  })
  lives.add(life)
  const { base_url } = await life.listening
  return {
    baseUrl: base_url,
    prefix: "",
    pid: life.pid,
    healthPath: "/healthz",
    receiverScheme: "https",
    log: () => life.errors,
    stop: async () => {
      life.kill("SIGTERM")
      const late = setTimeout(() => life.kill("SIGKILL"), 30_000)
      await life.ended
      lives.delete(life)
      clearTimeout(late)
    }
  }
}
