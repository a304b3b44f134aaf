import { readFileSync } from "node:fs"
import { expect, onTestFinished, test } from "vitest"
import { usage } from "../src/cli/commandLine.ts"
import { parseFixtures } from "../src/cli/fixturesFile.ts"
import { makeEmulatorServer } from "../src/serve/EmulatorServer.ts"

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8")

test("the README shows the present help text", () => {
  expect(readme).toContain(`\`\`\`text\n${usage}\`\`\``)
})

test("the README's start document is valid", async () => {
  const [, text = ""] = /^```yaml\n([\s\S]*?)^```$/m.exec(readme) ?? []
  const server = await makeEmulatorServer({ allowHosts: [] })
  onTestFinished(() => server.close())
  const fixtures = await parseFixtures("world.yaml", text)
  const videos: Array<string> = []
  const readFile = (path: string) => {
    videos.push(path)
    return new Uint8Array(4)
  }
  const { world } = await server.run(server.emulator.create({ id: "default", fixtures }, readFile))
  expect(world.config.page_size).toBe(25)
  expect(videos).toEqual(["videos/checkout.webm"])
})
