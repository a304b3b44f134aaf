import { execFile } from "node:child_process"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { installInProjects } from "./support/install.ts"

// What is published, in projects of others: each in the runner that it is for.

const node = (args: ReadonlyArray<string>, project: string) =>
  promisify(execFile)(process.execPath, args, { cwd: join(installed.folder, project), env: { PATH: process.env.PATH } })

const bin = (file: string) => join(import.meta.dirname, "../node_modules", file)

let installed: Awaited<ReturnType<typeof installInProjects>>
beforeAll(async () => {
  installed = await installInProjects()
}, 60_000)
afterAll(() => installed.remove())

test("the library needs nothing besides itself", async () => {
  const { stdout } = await node(["main.mjs"], "plain")
  expect(JSON.parse(stdout)).toEqual({ outcomes: ["failure", "success"], status: 200 })
})

describe("beside what a project brings along", { concurrent: true }, () => {
  beforeAll(async () => {
    for (const name of ["effect", "vitest", "expect", "@types/node"]) await installed.bring(name)
  })

  test("TypeScript is told all types, by what is installed alone", async () => {
    const tsc = join(import.meta.dirname, "../../../node_modules/.bin/tsc")
    await promisify(execFile)(tsc, ["-p", join(installed.folder, "types")])
  })

  test("the layer is one of the project's Effect", async () => {
    const { stdout } = await node(["main.mjs"], "effect")
    expect(JSON.parse(stdout)).toEqual({ outcomes: ["failure", "success"], refused: "EmulatorError" })
  })

  test("vitest: one emulator for the files of a worker, set up by the project's configuration", async () => {
    await node([bin("vitest/vitest.mjs"), "run", "--reporter=json", "--outputFile=report.json"], "vitest")
    expect(JSON.parse(await read("vitest/report.json"))).toMatchObject({ success: true, numPassedTests: 3 })
    const [first, second] = (await read("vitest/emulators.txt")).trim().split("\n")
    expect(first).toMatch(/^http:/)
    expect(second).toBe(first)
  })

  test("jest, CommonJS: the matchers, on what an emulator outside the sandbox answers", async () => {
    expect(await jest(bin("jest/bin/jest.js"), "overHttp")).toEqual({ numFailedTests: 0, numPassedTests: 1 })
  })

  test("jest, ES modules: emulator and matchers in the sandbox", async () => {
    const flag = "--experimental-vm-modules"
    const files = ["inProcess", "readme"]
    expect(await jest(flag, bin("jest/bin/jest.js"), ...files)).toEqual({ numFailedTests: 0, numPassedTests: 2 })
  })
})

const read = (file: string) => readFile(join(installed.folder, file), "utf8")

const jest = async (...args: ReadonlyArray<string>) => {
  const { stdout } = await node([...args, "--json", "--no-watchman"], "jest")
  const { numFailedTests, numPassedTests } = JSON.parse(stdout)
  return { numFailedTests, numPassedTests }
}
