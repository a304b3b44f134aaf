import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import type { Running, Workplace } from "./Workplace.ts"

/** A command as a stranger types it, and the path of its console. */
interface FirstMinute {
  readonly name: string
  readonly args: ReadonlyArray<string>
  readonly consolePath: string
}

const commands: ReadonlyArray<FirstMinute> = [
  { name: "server", args: ["@tapedeck/server", "serve", "--demo"], consolePath: "/" },
  { name: "emulator", args: ["@tapedeck/emulator", "--demo"], consolePath: "/_emulator/ui" }
]

/** Time after which a command that has not answered has failed. */
const maxMs = 120_000

/** Starts each command by npx from an empty cache, on a machine with Node, npm and nothing else, until its console answers. */
export async function* firstMinutes(workplace: Workplace): AsyncGenerator<string> {
  for (const command of commands) {
    const seconds = await startToConsole(workplace, command)
    yield `npx ${command.args.join(" ")}: the console answers ${seconds.toFixed(1)} s after the command, from an empty cache, without ffmpeg`
  }
}

const startToConsole = async ({ bare, bin, folder, start }: Workplace, { args, consolePath, name }: FirstMinute) => {
  const home = join(folder, `first-${name}`)
  await mkdir(home)
  const began = performance.now()
  const running = start(join(bin, "npx"), ["--yes", ...args, "--port", "0", "--json"], { cwd: home, env: bare(home) })
  try {
    const baseUrl = await firstLine(running)
    const answer = await fetch(`${baseUrl}${consolePath}`, { headers: { accept: "text/html" } })
    const page = await answer.text()
    if (answer.status !== 200 || !page.includes("<script"))
      throw new Error(`${name}: no console at ${consolePath}: ${page}`)
    return (performance.now() - began) / 1000
  } finally {
    await running.stop()
  }
}

/** The address in the line of JSON that a command prints once it accepts requests. */
const firstLine = ({ child, closed }: Running): Promise<string> =>
  new Promise((resolve, reject) => {
    const output = { stdout: "", stderr: "" }
    const failed = (why: string) => reject(new Error(`${child.spawnargs.join(" ")} ${why}\n${output.stderr}`))
    const timer = setTimeout(() => failed(`was not ready after ${maxMs / 1000} s`), maxMs)
    void closed.then((code) => {
      clearTimeout(timer)
      failed(`ended with ${code}`)
    }, reject)
    child.stderr.setEncoding("utf8").on("data", (text: string) => (output.stderr += text))
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output.stdout += text
      const [line, ...more] = output.stdout.split("\n")
      if (more.length === 0) return
      clearTimeout(timer)
      resolve((JSON.parse(line ?? "") as { readonly base_url: string }).base_url)
    })
  })
