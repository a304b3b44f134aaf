import { once } from "node:events"
import { Worker } from "node:worker_threads"
import { afterAll, beforeAll, expect, it } from "vitest"
import { hostileParts, tokens } from "./hostileTexts.ts"
import type { Texts } from "./redactionSteps.ts"

/** Steps for each character of any text. Ordinary logs take about 50. */
const maxSteps = 200

/** A text in which the same part is searched again for each other one grows beyond this. */
const maxGrowth = 1.1

const characters = 800
const seed = 46

let thread: Worker
beforeAll(() => {
  thread = new Worker(new URL("./redactionSteps.ts", import.meta.url), { execArgv: ["--conditions=source"] })
})
afterAll(() => thread.terminate())

/** Parts that are measured together: the meter itself takes ten times as long as the redaction of a text. */
const batchSize = 8

/** Steps for each character of texts that repeat one part each. */
const stepsForAll = async (parts: ReadonlyArray<string>, length: number): Promise<number> => {
  const texts: Texts = parts.map((part) => part.repeat(Math.ceil(length / part.length)))
  thread.postMessage(texts)
  const [steps] = (await once(thread, "message")) as [number]
  return steps / texts.join("").length
}

const stepsFor = (part: string, length: number): Promise<number> => stepsForAll([part], length)

/** The parts of batches in which a part can have more steps than the maximum. */
const suspects = async (parts: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  const found: Array<string> = []
  for (let at = 0; at < parts.length; at += batchSize) {
    const batch = parts.slice(at, at + batchSize)
    if ((await stepsForAll(batch, characters)) > maxSteps / (batch.length + 1)) found.push(...batch)
  }
  return found
}

it("takes the words and expressions of hostile texts from the rules themselves", () => {
  for (const token of ["passphrase", "iban", "eyJ", "://", "-----BEGIN PRIVATE KEY-----", "&quot;", "[redacted]"]) {
    expect(tokens).toContain(token)
  }
})

it("counts nearly as many steps for the same work again, and more for more work", async () => {
  // The first time, modules and caches are set up.
  await stepsFor("{name:value:", characters)
  const steps = await stepsFor("{name:value:", characters)
  // Blocks, and not only the characters that are read.
  expect(steps).toBeGreaterThan(50)
  expect((await stepsFor("{name:value:", characters)) / steps).toBeCloseTo(1, 0)
  expect(await stepsFor("x", characters)).toBeLessThan(steps / 2)
})

it("redacts any text in a limited number of steps for each character, however long it is", async () => {
  const parts = await suspects(hostileParts(seed))
  expect(parts.length).toBeGreaterThan(100)
  const costs: Array<{ readonly part: string; readonly steps: number }> = []
  for (const part of parts) costs.push({ part, steps: await stepsFor(part, characters) })
  const worst = costs.toSorted((a, b) => b.steps - a.steps).slice(0, 100)
  expect(worst.filter(({ steps }) => steps > maxSteps)).toEqual([])
  const grown: Array<{ readonly part: string; readonly growth: number }> = []
  for (const { part, steps } of worst) grown.push({ part, growth: (await stepsFor(part, 16 * characters)) / steps })
  expect(grown.filter(({ growth }) => growth > maxGrowth)).toEqual([])
})
