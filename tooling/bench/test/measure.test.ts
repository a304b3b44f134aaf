import { describe, expect, it } from "vitest"
import { interleave, median, ratioOfMedians, startUpMs, timed } from "../src/measure.ts"
import { freePort } from "../src/processes.ts"

describe("interleaved rounds", () => {
  const played = async (names: ReadonlyArray<string>, rounds: number, warmUpRounds = 1) => {
    const order: Array<string> = []
    const contenders = Object.fromEntries(names.map((name) => [name, () => order.push(name)]))
    const samples = await interleave(contenders, { rounds, warmUpRounds })
    return { order, samples }
  }

  it("alternate the contenders, and leave out the warm-up", async () => {
    const { order, samples } = await played(["a", "b"], 3, 2)
    expect(order.join("")).toMatch(/^(ab){5}$|^(ba){5}$/)
    expect(Object.values(samples).flat().toSorted()).toEqual([10, 5, 6, 7, 8, 9])
  })

  it("change the order in each round, so that no contender runs twice in a row or always after the same one", async () => {
    const names = ["a", "b", "c", "d", "e"]
    const { order } = await played(names, 9)
    expect(order.some((name, index) => name === order[index - 1])).toBe(false)
    for (let round = 0; round < 10; round++) {
      expect(order.slice(round * 5, round * 5 + 5).toSorted()).toEqual(names)
    }
    for (const name of names) {
      const before = order.flatMap((one, index) => (one === name && index > 0 ? [order[index - 1]] : []))
      expect(new Set(before).size).toBeGreaterThan(2)
    }
    expect((await played(names, 9)).order).toEqual(order)
  })
})

describe("medians", () => {
  it("are the middle value, whatever the order", () => {
    expect(median([3])).toBe(3)
    expect(median([9, 1, 5])).toBe(5)
    expect(median([10, 2, 4, 8])).toBe(6)
    expect(median([100, 9, 1])).toBe(9)
    expect(() => median([])).toThrow("median of no samples")
  })

  it("give ratios that one outlier does not move", () => {
    expect(ratioOfMedians([20, 20, 1000], [10, 10, 10])).toBe(2)
  })
})

describe("timed", () => {
  it("waits for what it times", async () => {
    let done = false
    const ms = await timed(async () => {
      await new Promise((resolve) => setImmediate(resolve))
      done = true
    })
    expect(done).toBe(true)
    expect(ms).toBeGreaterThan(0)
  })
})

const node = (code: string) => ({ command: process.execPath, parameters: ["-e", code] })

/** A server that answers 503 twice before it is ready, and says where it listens on standard output. */
const server = (port: number) =>
  node(`let asked = 0
    require("node:http")
      .createServer((_, response) => response.writeHead(++asked > 2 ? 200 : 503).end("x"))
      .listen(${port}, "127.0.0.1", () => console.log("listening"))`)

/** A server that knows one token. */
const guardedServer = (port: number) =>
  node(`require("node:http")
    .createServer(({ headers }, response) => response.writeHead(headers.authorization === "Bearer t" ? 200 : 401).end())
    .listen(${port}, "127.0.0.1")`)

describe("start-up time", () => {
  it("runs to the first successful answer, and leaves no process running", async () => {
    const port = await freePort()
    const url = `http://127.0.0.1:${port}/`
    expect(await startUpMs({ ...server(port), ready: { url } })).toBeGreaterThan(0)
    await expect(fetch(url)).rejects.toThrow()
  })

  it("sends a token if one is given", async () => {
    const port = await freePort()
    const url = `http://127.0.0.1:${port}/`
    expect(await startUpMs({ ...guardedServer(port), ready: { url, token: "t" } })).toBeGreaterThan(0)
  })

  it("ends at a given output", async () => {
    const port = await freePort()
    expect(await startUpMs({ ...server(port), ready: { output: /^listening$/m } })).toBeGreaterThan(0)
  })

  it("fails with the output of a command that ends too early", async () => {
    const failing = node('console.error("no such port"); process.exit(3)')
    await expect(startUpMs({ ...failing, ready: { output: /never/ } })).rejects.toThrow(
      /ended before it was ready \(exit code 3\)[\s\S]*no such port/
    )
  })

  it("fails if the command cannot be run", async () => {
    const missing = { command: "/no/such/command", parameters: [], ready: { output: /never/ } }
    await expect(startUpMs(missing)).rejects.toThrow("ENOENT")
  })

  it("fails at its maximum", async () => {
    const idle = node("process.stdin.resume(); require('node:net').createServer().listen(0)")
    await expect(startUpMs({ ...idle, ready: { output: /never/ }, limitMs: 1 })).rejects.toThrow(
      "was not ready within 1 ms"
    )
  })
})
