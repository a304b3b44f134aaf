import { execFile } from "node:child_process"
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { readFence } from "@tapedeck/tsconfig/fences.ts"
import { installOnDemand } from "@tapedeck/tsconfig/onDemand.ts"
import { beforeAll, expect, onTestFinished, test } from "vitest"
import { listening } from "./support/command.ts"
import { onDemandPackage } from "./support/install.ts"

const root = join(import.meta.dirname, "..")

beforeAll(() => {
  installOnDemand(join(root, "ondemand"))
})

/** Runs a program as a project would that has Express and the packages installed. */
const run = async (code: string, args: ReadonlyArray<string> = []) => {
  const folder = await mkdtemp(join(root, "test/.receiver-"))
  onTestFinished(() => rm(folder, { recursive: true }))
  await mkdir(join(folder, "node_modules"))
  await symlink(onDemandPackage("express"), join(folder, "node_modules/express"))
  const file = join(folder, "receiver.test.mjs")
  await writeFile(file, code)
  const { stdout } = await promisify(execFile)(process.execPath, ["--conditions=source", ...args, file], {
    // A test runner inside of another one reports to that one.
    env: { PATH: process.env.PATH }
  })
  return stdout
}

test("the test of an Express receiver in both READMEs is the same, and passes", async () => {
  const code = readFence("packages/emulator/README.md", "js", "// receiver.test.mjs")
  expect(readFence("packages/signing/README.md", "js", "// receiver.test.mjs")).toBe(code)
  expect(await run(code, ["--test", "--test-reporter=tap"])).toMatch(/^# pass 1$/m)
})

test("a receiver that asks the control plane for the time, as the README does, verifies webhooks", async () => {
  const now = readFence("packages/emulator/README.md", "js", "const now = async")
  const { world } = await listening("--demo")
  const code = `
import { once } from "node:events"
import { webhook } from "@tapedeck/signing/express"
import express from "express"
const controlUrl = ${JSON.stringify(world.control_url)}
${now}
const app = express().post("/hook", webhook({ secret: "k", scheme: "standard", now }, () => undefined))
const server = app.listen(0, "127.0.0.1")
await once(server, "listening")
const post = async (path, body) =>
  (await fetch(controlUrl + path, { method: "POST", body: JSON.stringify(body), headers: { "content-type": "application/json" } })).json()
const recording = "7d0f3c1e-5a2b-4c3d-8e9f-0a1b2c3d4e5f"
await post("/fixtures", {
  recordings: [{ uuid: recording }],
  folders: [{ id: "mine", name: "Mine" }],
  automations: [{ id: "hook", folder: "mine", url: "http://127.0.0.1:" + server.address().port + "/hook", secret: "k" }]
})
await post("/folders/mine/recordings", { recording })
await post("/clock/advance", { by: 0 })
const { deliveries } = await (await fetch(controlUrl + "/deliveries?automation=hook")).json()
console.log(JSON.stringify(deliveries.map(({ state }) => state)))
server.close()
`
  expect(JSON.parse(await run(code))).toEqual(["delivered"])
})
