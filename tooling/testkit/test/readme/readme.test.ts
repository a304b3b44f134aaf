import { execFile } from "node:child_process"
import { readFileSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, expect, test } from "vitest"
import { emulatorMain, type Started, startProcess } from "../../src/support/process.ts"
import type { WorldObject } from "../../src/support/shapes.ts"

const readme = readFileSync(new URL("../../../../README.md", import.meta.url), "utf8")

/** The README's code block that holds `text`, without its fences. */
const blockWith = (language: string, text: string): string => {
  const blocks = [...readme.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].filter(([, name]) => name === language)
  const found = blocks.map(([, , code]) => code!).filter((code) => code.includes(text))
  expect(found, `one ${language} block with ${text}`).toHaveLength(1)
  return found[0]!
}

let demo: Started<WorldObject>
beforeAll(async () => {
  demo = await startProcess<WorldObject>(emulatorMain, ["--demo", "--clock", "running", "--port", "0", "--json"])
})
afterAll(() => demo.stop())

/** Runs a block in a folder of its own, at the demo's address, one JSON answer a line. */
const run = async (block: string): Promise<ReadonlyArray<string>> => {
  const folder = await mkdtemp(join(tmpdir(), "tapedeck-readme-"))
  const script = block.replaceAll("http://127.0.0.1:4010", demo.ready.base_url).replace(/^curl .*$/gm, "$&\necho")
  const { stdout } = await promisify(execFile)("bash", ["-euo", "pipefail", "-c", script], { cwd: folder })
  await rm(folder, { recursive: true })
  return stdout.split("\n").filter((line) => line !== "")
}

test("the vitest example is the one that is run as a test", () => {
  const example = readFileSync(new URL("vitest-example.test.ts", import.meta.url), "utf8")
  expect(blockWith("ts", "startEmulator")).toBe(example)
})

test("the tour with curl does what it says", async () => {
  const lines = (await run(blockWith("sh", "$API/recordings"))).map((line) => JSON.parse(line))
  const [list, changed, transcript, sink, vip, bugs, moved, deliveries] = lines
  expect(list.pagination.count).toBe(1)
  expect(changed.title).toBe("Paid")
  expect(transcript).toMatchObject({ status: "ready", segments: expect.arrayContaining([expect.anything()]) })
  expect(sink.respond).toEqual([500])
  expect(vip.deliveries).toHaveLength(1)
  expect(bugs.deliveries).toHaveLength(1)
  expect(moved.reached).toBe(true)
  const minutes = deliveries.deliveries[0].attempts.map(({ elapsed_ms }: { elapsed_ms: number }) => elapsed_ms / 60_000)
  expect(minutes).toEqual([0, 1, 6, 36, 156, 876])
  expect(deliveries.deliveries[0].state).toBe("permanently_failed")
})

test("a world is made as it says", async () => {
  const block = blockWith("sh", "_emulator/worlds").replace(/^npx .*$/m, "")
  const [world] = await run(block.replace(/\\\n/g, " "))
  const { base_url, control_url, tokens } = JSON.parse(world!)
  expect(control_url).toBe(`${base_url}/_emulator`)
  expect(Object.keys(tokens)).toEqual(["ada@acme.test"])
})

test("the pages that it points to are there", async () => {
  for (const path of ["/api/docs", "/api/v2/openapi.json", "/api/v1/openapi.json", "/_emulator/openapi.json"]) {
    expect((await fetch(`${demo.ready.base_url}${path}`)).status, path).toBe(200)
  }
  for (const [, path] of readme.matchAll(/\]\(((?!http)[^)]+)\)/g)) {
    expect(() => readFileSync(new URL(`../../../../${path}`, import.meta.url)), path).not.toThrow(/ENOENT/)
  }
})
