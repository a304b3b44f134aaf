import { readFileSync } from "node:fs"
import { readFence } from "@tapedeck/tsconfig/fences.ts"
import { expect, onTestFinished, test } from "vitest"
import { usage } from "../src/cli/commandLine.ts"
import { parseFixtures } from "../src/cli/fixturesFile.ts"
import { makeEmulatorServer } from "../src/serve/EmulatorServer.ts"

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8")

test("the README shows the present help text", () => {
  expect(readme).toContain(`\`\`\`text\n${usage}\`\`\``)
})

test("the start document of docs/capture.md is valid, with the log that the page shows", async () => {
  const server = await makeEmulatorServer({ allowHosts: [] })
  onTestFinished(() => server.close())
  const log = JSON.stringify(readFence("docs/capture.md", "jsonl"))
  const people = "users: [{ email: ada@acme.test, name: Ada }]\nfolders: [{ id: vip, name: VIP }]\n"
  const document = people + readFence("docs/capture.md", "yaml").replaceAll('log: "…"', `log: ${log}`)
  const fixtures = await parseFixtures("world.yaml", document)
  const { made } = await server.run(server.emulator.create({ id: "default", fixtures }))
  expect(made).toMatchObject({ captures: [{}, {}] })
})

test("the README's start document is valid", async () => {
  const server = await makeEmulatorServer({ allowHosts: [] })
  onTestFinished(() => server.close())
  const fixtures = await parseFixtures("world.yaml", readFence("packages/emulator/README.md", "yaml"))
  const videos: Array<string> = []
  const readFile = (path: string) => {
    videos.push(path)
    return new Uint8Array(4)
  }
  const { world } = await server.run(server.emulator.create({ id: "default", fixtures }, readFile))
  expect(world.config.page_size).toBe(25)
  expect(videos).toEqual(["videos/checkout.webm"])
})
