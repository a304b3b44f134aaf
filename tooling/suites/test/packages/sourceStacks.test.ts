import { execFile } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { root } from "./emptyProject.ts"

// The commands as they are built, with a map beside each file.

/** Makes the command fail as it creates its server, or print a line when a stack is shown. */
const planted = {
  fault:
    "import http from 'node:http';Error.stackTraceLimit=30;http.Server.prototype.on=()=>{throw new Error('planted')}",
  probe:
    "let show;Object.defineProperty(Error,'prepareStackTrace',{get:()=>show&&((...a)=>{console.error('shown');return show(...a)}),set:(f)=>{show=f}})"
}

const run = (main: string, plant: keyof typeof planted, ...args: ReadonlyArray<string>) =>
  new Promise<string>((resolve) => {
    const preload = `data:text/javascript,${encodeURIComponent(planted[plant])}`
    execFile(process.execPath, ["--import", preload, join(root, main), ...args], { timeout: 60_000 }, (_, out, err) =>
      resolve(out + err)
    )
  })

const commands = [
  ["apps/server/dist/main.js", ["serve", "--store", "memory", "--port", "0"], "run.ts"],
  ["packages/emulator/dist/main.js", ["--port", "0"], "cli/run.ts"]
] as const

test.each(commands)("%s has its sources in a stack trace, with line and column", async (main, args, caller) => {
  const trace = await run(main, "fault", ...args)
  const places = [...trace.matchAll(/\b((?:apps|packages)\/\S+\.ts):(\d+):(\d+)/g)]
  const texts = places.map(([, file = "", line, column]) => {
    const text = readFileSync(join(root, file), "utf8").split("\n")[Number(line) - 1]!
    return text.slice(Number(column) - 1)
  })
  expect(
    texts.some((text) => text.startsWith("new HttpServer(")),
    trace
  ).toBe(true)
  expect(
    places.some(([, path = ""]) => path.endsWith(caller)),
    trace
  ).toBe(true)
  expect(trace).not.toContain("/dist/main.js")
})

test.each(commands)("%s reads no source map when it starts", async (main) => {
  expect(await run(main, "probe", "--version")).not.toContain("shown")
})
