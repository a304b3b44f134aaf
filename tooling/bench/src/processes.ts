import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { stripTypeScriptTypes } from "node:module"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { dirname, join, relative, resolve } from "node:path"
import { createInterface } from "node:readline"
import { pathToFileURL } from "node:url"
import type { Costs } from "./costs.ts"

export interface StartedProcess {
  readonly child: ChildProcess
  /** Counts what the process spends while `body` runs. */
  readonly costsOf: (body: () => Promise<unknown>) => Promise<Costs>
  /** The first line that it printed. */
  readonly firstLine: string
  readonly stop: () => Promise<void>
}

/** Starts a Node program and waits for its first line of output. Fails with what it complained of when it ends before. */
export const startNode = (...parameters: ReadonlyArray<string>): Promise<StartedProcess> =>
  startNodeWith({}, parameters)

/** The same, with something added to this process's environment. */
export const startNodeWith = async (
  environment: Readonly<Record<string, string>>,
  parameters: ReadonlyArray<string>
): Promise<StartedProcess> => {
  const env = { ...process.env, ...environment }
  const withCounter = ["--import", pathToFileURL(join(import.meta.dirname, "countOnRequest.ts")).href, ...parameters]
  const child = spawn(process.execPath, withCounter, { env, stdio: ["ignore", "pipe", "pipe", "ipc"] })
  let errors = ""
  child.stderr!.setEncoding("utf8").on("data", (text: string) => {
    errors += text
  })
  const exited = once(child, "exit")
  const line = once(createInterface(child.stdout!), "line") as Promise<[string]>
  const ended = exited.then(() => {
    throw new Error(`node ${parameters.join(" ")} ended before its first line of output:\n${errors}`)
  })
  const [firstLine] = await Promise.race([line, ended])
  // From here on it may end.
  ended.catch(() => {})
  const stop = async () => {
    child.kill()
    await exited
  }
  const request = async <Reply>(): Promise<Reply> => {
    const reply = once(child, "message") as Promise<[Reply]>
    child.send("costs")
    return (await reply)[0]
  }
  const costsOf = async (body: () => Promise<unknown>) => {
    await request<string>()
    await body()
    return request<Costs>()
  }
  return { child, firstLine, costsOf, stop }
}

/** Runs `body` with a folder of its own, which is gone afterwards. */
export const inTemporaryFolder = async <A>(body: (folder: string) => Promise<A>): Promise<A> => {
  const folder = mkdtempSync(join(tmpdir(), "tapedeck-bench-"))
  try {
    return await body(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** A free port of loopback. */
export const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => (typeof address === "object" && address !== null ? resolve(address.port) : reject()))
    })
  })

const bench = resolve(import.meta.dirname, "..")

/** Below `ondemand`, so that a program finds the peers there, and the dependencies of this package further up. */
const stripped = join(bench, "ondemand/node_modules/.programs")

/**
 * A program of ours and what it imports of ours, as JavaScript; gives its file, beside which our dependencies are found.
 * Node takes 70 ms to load its compiler of types, which would count as the start of whatever the program starts.
 */
export const asJavaScript = (file: string): string => {
  const to = join(stripped, relative(bench, file)).replace(/\.ts$/, ".js")
  const code = stripTypeScriptTypes(readFileSync(file, "utf8")).replaceAll(
    /(?<=^import .*? from ")(\..*)\.ts(?=")/gm,
    (_, imported: string) => {
      asJavaScript(join(dirname(file), `${imported}.ts`))
      return `${imported}.js`
    }
  )
  mkdirSync(dirname(to), { recursive: true })
  writeFileSync(to, code)
  return to
}

const thisCheckout = resolve(import.meta.dirname, "../../..")

/** Builds the server as it is published; gives its program. */
export const buildServer = (): string => {
  const source = join(thisCheckout, "apps/server")
  execFileSync(join(thisCheckout, "node_modules/.bin/pnpm"), ["--dir", source, "run", "build"], { stdio: "pipe" })
  return join(source, "dist/main.js")
}

/** Builds and packs packages as they are published, and unpacks them below `folder`, where a program finds them. */
export const packPackages = (folder: string, names: ReadonlyArray<string>, checkout = thisCheckout): void => {
  const pnpm = join(checkout, "node_modules/.bin/pnpm")
  for (const name of names) {
    const source = join(checkout, "packages", name)
    const packed = join(folder, `${name}.tgz`)
    const installed = join(folder, "node_modules/@tapedeck", name)
    mkdirSync(installed, { recursive: true })
    execFileSync(pnpm, ["--dir", source, "run", "build"], { stdio: "pipe" })
    execFileSync(pnpm, ["--dir", source, "pack", "--out", packed], { stdio: "pipe" })
    execFileSync("tar", ["-xzf", packed, "-C", installed, "--strip-components=1"])
  }
}

/** Builds and packs the emulator as it is published, and unpacks it below `folder`. Gives the package's folder. */
export const packEmulator = (folder: string, checkout = thisCheckout): string => {
  packPackages(folder, ["emulator"], checkout)
  return join(folder, "node_modules/@tapedeck/emulator")
}
