import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { runBench } from "../src/runner.ts"

let directory: string
let printed: Array<string>
let complaints: Array<string>

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "tapedeck-bench-"))
  mkdirSync(join(directory, "benches"))
  printed = []
  complaints = []
})

afterEach(() => rmSync(directory, { recursive: true }))

const addBench = (name: string, measurements: string) =>
  writeFileSync(join(directory, `benches/${name}.ts`), `export const run = async () => (${measurements})\n`)

const run = (...parameters: ReadonlyArray<string>) =>
  runBench(parameters, {
    benches: join(directory, "benches"),
    results: join(directory, "results"),
    print: (line) => printed.push(line),
    complain: (line) => complaints.push(line)
  })

const listing = `{
  results: { list_rps: { value: 13256.7, unit: "requests/s" }, list_ms: { value: 0.07543, unit: "ms" } },
  ratios: { list_vs_fastify: 1.0834 },
  notes: ["25 records a page"]
}`

describe("bench NAME", () => {
  it("prints a table with machine, figures, ratios and notes", async () => {
    addBench("http", listing)
    expect(await run("http")).toBe(0)
    const [head, ...rows] = printed.join("\n").split("\n")
    expect(head).toMatch(/^http on .+, \d+ cores, \d+ GiB, Node v\d+/)
    expect(rows).toEqual([
      "  list_rps         13,257 requests/s",
      "  list_ms          0.0754 ms",
      "  list_vs_fastify    1.08 ×",
      "  25 records a page"
    ])
  })

  it("ends with the record and stores it, with --json", async () => {
    addBench("http", listing)
    expect(await run("http", "--json")).toBe(0)
    const record = JSON.parse(printed.at(-1)!)
    expect(record).toEqual({
      name: "http",
      machine: {
        cpu: expect.any(String),
        cores: expect.any(Number),
        memoryGiB: expect.any(Number),
        node: process.version,
        platform: `${process.platform}-${process.arch}`
      },
      results: { list_rps: { value: 13256.7, unit: "requests/s" }, list_ms: { value: 0.07543, unit: "ms" } },
      ratios: { list_vs_fastify: 1.0834 }
    })
    expect(JSON.parse(readFileSync(join(directory, "results/http.json"), "utf8"))).toEqual(record)
  })

  it("accepts --json on either side of the name", async () => {
    addBench("http", listing)
    expect(await run("--json", "http")).toBe(0)
    expect(JSON.parse(printed.at(-1)!).name).toBe("http")
  })

  it("passes a bench its options, with their defaults", async () => {
    const source = `export const options = { waiting: 7, rounds: 3 }
      export const run = async ({ waiting, rounds }) => ({ results: {}, ratios: { waiting, rounds } })`
    writeFileSync(join(directory, "benches/dispatch.ts"), source)
    for (const parameters of [
      ["dispatch", "--waiting", "1000", "--json"],
      ["--waiting", "1000", "--json", "dispatch"]
    ]) {
      expect(await run(...parameters)).toBe(0)
      expect(JSON.parse(printed.at(-1)!).ratios).toEqual({ waiting: 1000, rounds: 3 })
    }
  })

  it.each([
    ["without a value", ["dispatch", "--waiting"], "bench: --waiting wants a whole number"],
    ["no number", ["dispatch", "--waiting", "many"], 'bench: --waiting wants a whole number, not "many"'],
    ["below nothing", ["dispatch", "--waiting", "-1"], 'bench: --waiting wants a whole number, not "-1"'],
    [
      "of another bench",
      ["dispatch", "--rows", "5"],
      "bench: one bench at a time, and no other option than --json, --waiting: --rows 5"
    ]
  ])("refuses an option %s, and lists the known ones", async (_case, parameters, problem) => {
    writeFileSync(
      join(directory, "benches/dispatch.ts"),
      "export const options = { waiting: 7 }; export const run = () => { throw new Error('not to be run') }"
    )
    expect(await run(...parameters)).toBe(2)
    expect(complaints).toEqual([
      problem,
      "usage: npx pnpm -s bench NAME [--waiting N] [--json], where NAME is one of: dispatch"
    ])
  })

  it("loads only the requested bench", async () => {
    addBench("http", listing)
    addBench("broken", "(() => { throw new Error('not asked for') })()")
    writeFileSync(join(directory, "benches/unreadable.ts"), "this is no program")
    expect(await run("http")).toBe(0)
  })

  it.each([
    ["no name", [], "bench: name a bench"],
    ["an unknown name", ["htpp"], 'bench: there is no bench "htpp"'],
    ["a path", ["../benches/http"], 'bench: there is no bench "../benches/http"'],
    ["two names", ["http", "emulator"], "bench: one bench at a time, and no other option than --json: emulator"],
    ["an unknown option", ["http", "--csv"], "bench: one bench at a time, and no other option than --json: --csv"]
  ])("refuses %s with the list of names", async (_case, parameters, problem) => {
    addBench("http", listing)
    addBench("emulator", listing)
    expect(await run(...parameters)).toBe(2)
    expect(complaints).toEqual([
      problem,
      "usage: npx pnpm -s bench NAME [--json], where NAME is one of: emulator, http"
    ])
    expect(printed).toEqual([])
  })

  it("fails on a figure that is not a number, and stores nothing", async () => {
    addBench("http", `{ results: {}, ratios: { list_vs_node: 1 / 0 } }`)
    await expect(run("http", "--json")).rejects.toThrow("bench http: list_vs_node is Infinity, not a finite number")
    expect(printed).toEqual([])
  })
})
