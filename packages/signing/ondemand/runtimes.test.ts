import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { EdgeRuntime } from "edge-runtime"
import { afterAll, beforeAll, expect, test } from "vitest"
import { isInstalled, run } from "../test/support/run.ts"
import { selfTest, selfTestPassed } from "../test/support/selfTest.ts"

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "tapedeck-runtimes-"))
})
afterAll(() => rm(directory, { recursive: true, force: true }))

test("Vercel Edge (edge-runtime) gives every expected answer", async () => {
  const runtime = new EdgeRuntime()
  runtime.evaluate(await selfTest("edge-light"))
  expect(JSON.parse(await runtime.evaluate<Promise<string>>("selfTest()"))).toEqual(selfTestPassed("edge-light"))
})

/** Where runtimes may be that are too large to install for a test: node_modules/.bin of a directory, else the PATH. */
const runtimes = process.env.TAPEDECK_RUNTIMES
const command = (name: string) => (runtimes === undefined ? name : join(runtimes, name))

test.for([
  { name: "Node 18", command: command("node18"), condition: "node", parameters: [] },
  { name: "Deno", command: command("deno"), condition: "node", parameters: ["run"] },
  { name: "Bun", command: command("bun"), condition: "node", parameters: ["run"] }
])("$name gives every expected answer", async ({ name, command, condition, parameters }, { skip }) => {
  if (!(await isInstalled(command))) {
    console.log(`skipped: the bundle is not run in ${name}, because ${command} is not installed here`)
    skip(`${command} is not installed`)
  }
  const program = join(directory, `${condition}.mjs`)
  await writeFile(program, `${await selfTest(condition, "esm")}\nconsole.log(await selfTest())`)
  expect(JSON.parse(await run(command, [...parameters, program]))).toEqual(selfTestPassed("node"))
})

test("Cloudflare Workers (workerd) gives every expected answer", async ({ skip }) => {
  const workerd = command("workerd")
  if (!(await isInstalled(workerd))) {
    console.log(`skipped: the bundle is not run in workerd, because ${workerd} is not installed here`)
    skip(`${workerd} is not installed`)
  }
  const code = `${await selfTest("workerd", "esm")}\nexport default { async test() { console.log("told:" + (await selfTest())) } }`
  await writeFile(join(directory, "worker.mjs"), code)
  await writeFile(
    join(directory, "worker.capnp"),
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (services = [(name = "main", worker = .worker)]);
const worker :Workerd.Worker = (modules = [(name = "worker.mjs", esModule = embed "worker.mjs")], compatibilityDate = "2025-01-01");`
  )
  const told = await run(workerd, ["test", "worker.capnp", "--verbose"], { cwd: directory, both: true })
  expect(JSON.parse(/told:(\{.*\})/.exec(told)?.[1] ?? "null")).toEqual(selfTestPassed("workerd"))
})
