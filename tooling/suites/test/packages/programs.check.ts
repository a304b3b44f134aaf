import { type ChildProcessByStdio, execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { statSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import type { Readable } from "node:stream"
import { promisify } from "node:util"
import { buildProgram, type ProgramName } from "@tapedeck/tsconfig/programs/buildProgram.ts"
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest"
import { emulatorMain, type Folder, serverMain, temporaryFolder } from "../../src/support/process.ts"
import { root } from "./emptyProject.ts"

// The commands as files that need no Node: each is started with an empty PATH, in an empty folder.

const maxSizeMb = 150

/** Time until the file listens, relative to the package's command. The shortest of some starts, which little disturbs. */
const maxStartRatio = 1.5
const starts = 7

let folder: Folder
beforeAll(async () => {
  folder = await temporaryFolder()
})
afterAll(() => folder.remove())

interface Subject {
  readonly name: ProgramName
  readonly main: string
  readonly args: ReadonlyArray<string>
  readonly consolePath: string
}

const subjects: ReadonlyArray<Subject> = [
  {
    name: "tapedeck-emulator",
    main: emulatorMain,
    args: ["--demo", "--quiet"],
    consolePath: "/_emulator/ui/"
  },
  { name: "tapedeck", main: serverMain, args: ["serve", "--demo", "--store", "memory"], consolePath: "/" }
]

describe.each(subjects)("$name as one file", ({ args, consolePath, main, name }) => {
  let file: string
  beforeAll(() => {
    file = join(folder.path, name)
    buildProgram(name, { node: process.execPath, output: file })
  }, 60_000)

  const bare = () => ({ cwd: folder.path, env: { PATH: "" } })
  const run = async (option: string) =>
    (await promisify(execFile)(file, [option], { ...bare(), maxBuffer: 1e7 })).stdout

  /** Starts a command until it prints the line of `--json`. */
  const start = async (command: string, ...rest: ReadonlyArray<string>) => {
    const began = performance.now()
    const child: ChildProcessByStdio<null, Readable, null> = spawn(command, [...rest, "--port", "0", "--json"], {
      ...bare(),
      stdio: ["ignore", "pipe", "ignore"]
    })
    const stop = async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill()
      await once(child, "exit")
    }
    onTestFinished(stop)
    const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string]
    const { base_url: url } = JSON.parse(line) as { readonly base_url: string }
    return { ms: performance.now() - began, stop, url }
  }

  test(`has at most ${maxSizeMb} MB, and prints its version, its help and all licences`, async () => {
    expect(statSync(file).size).toBeLessThan(maxSizeMb * 1e6)
    expect(await run("--version")).toMatch(/^\d+\.\d+\.\d+\n$/)
    expect(await run("--help")).toContain(`Usage: ${name} `)
    const licenses = await run("--licenses")
    for (const part of ["Tapedeck", "Node.js is licensed for use as follows", "effect ", "@base-ui/react "])
      expect(licenses).toContain(part)
  })

  test("serves the demo, and the console with its files, and answers a health check", async () => {
    const { stop, url } = await start(file, ...args)
    const page = await (await fetch(`${url}${consolePath}`, { headers: { accept: "text/html" } })).text()
    const [, script] = /<script[^>]* src="([^"]+)"/.exec(page) ?? []
    const answer = await fetch(new URL(script!, `${url}${consolePath}`))
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, expect.stringContaining("javascript")])
    expect((await fetch(`${url}${consolePath}assets/none.js`)).status).toBe(404)
    expect((await fetch(`${url}/api/v2/recordings`)).status).toBe(401)
    const health = ["--health", consolePath.slice(1), "1", "PORT"]
    const isHealthy = () =>
      promisify(execFile)(file, health, { env: { PORT: new URL(url).port } }).then(
        () => true,
        () => false
      )
    expect(await isHealthy()).toBe(true)
    await stop()
    expect(await isHealthy()).toBe(false)
  })

  test(`starts in at most ${maxStartRatio} times the time of the package's command`, async () => {
    const commands = [[file], [process.execPath, join(root, main)]] as const
    const times: Array<Array<number>> = commands.map(() => [])
    // In turns, so that both meet what else the machine does.
    for (let count = 0; count < starts; count++) {
      for (const [index, [command, ...before]] of commands.entries()) {
        const { ms, stop } = await start(command, ...before, ...args)
        times[index]!.push(ms)
        await stop()
      }
    }
    const [ofFile, ofPackage] = times.map((each) => Math.min(...each)) as [number, number]
    expect(ofFile / ofPackage).toBeLessThan(maxStartRatio)
  })
})
