import { afterAll, beforeAll, expect, it, vi } from "vitest"
import type * as Capture from "../../src/capture/index.ts"
import { hostileParts, tokens } from "./hostileTexts.ts"
import { StepMeter } from "./StepMeter.ts"

/** Steps for each character of any text. Ordinary logs take about 50. */
const maxSteps = 200

/** A text in which the same part is searched again for each other one grows beyond this. */
const maxGrowth = 1.1

const characters = 800
const seed = 46

let meter: StepMeter
let capture: typeof Capture
beforeAll(async () => {
  meter = new StepMeter("/capture/redact/")
  // V8 counts the blocks of code that it compiles from now on. Another test file of this worker may have loaded the modules.
  vi.resetModules()
  capture = await import("../../src/capture/index.ts")
})
afterAll(() => meter.end())

/** Parts that are measured together: the meter itself takes ten times as long as the redaction of a text. */
const batchSize = 8

/** Steps for each character of texts that repeat one part each. */
const stepsForAll = (parts: ReadonlyArray<string>, length: number): number => {
  const texts = parts.map((part) => part.repeat(Math.ceil(length / part.length)))
  const { makeRedactor, noSiteRedaction } = capture
  const redact = () => {
    for (const text of texts)
      makeRedactor({ ...noSiteRedaction, query_parameters: ["ref"], customerEmail: "a@b.co" }).text(text)
  }
  return meter.stepsOf(redact) / texts.join("").length
}

const stepsFor = (part: string, length: number): number => stepsForAll([part], length)

/** The parts of batches in which a part can have more steps than the maximum. */
const suspects = (parts: ReadonlyArray<string>): ReadonlyArray<string> =>
  Array.from({ length: Math.ceil(parts.length / batchSize) }, (_, index) =>
    parts.slice(index * batchSize, (index + 1) * batchSize)
  )
    .filter((batch) => stepsForAll(batch, characters) > maxSteps / (batch.length + 1))
    .flat()

it("takes the words and expressions of hostile texts from the rules themselves", () => {
  for (const token of ["passphrase", "iban", "eyJ", "://", "-----BEGIN PRIVATE KEY-----", "&quot;", "[redacted]"]) {
    expect(tokens).toContain(token)
  }
})

it("counts nearly as many steps for the same work again, and more for more work", () => {
  // The first time, modules and caches are set up.
  stepsFor("{name:value:", characters)
  const steps = stepsFor("{name:value:", characters)
  // Blocks, and not only the characters that are read.
  expect(steps).toBeGreaterThan(50)
  expect(stepsFor("{name:value:", characters) / steps).toBeCloseTo(1, 0)
  expect(stepsFor("x", characters)).toBeLessThan(steps / 2)
})

it("redacts any text in a limited number of steps for each character, however long it is", { timeout: 120_000 }, () => {
  const parts = suspects(hostileParts(seed))
  expect(parts.length).toBeGreaterThan(100)
  const costs = parts.map((part) => ({ part, steps: stepsFor(part, characters) }))
  const worst = costs.toSorted((a, b) => b.steps - a.steps).slice(0, 100)
  expect(worst.filter(({ steps }) => steps > maxSteps)).toEqual([])
  const grown = worst.map(({ part, steps }) => ({ part, growth: stepsFor(part, 16 * characters) / steps }))
  expect(grown.filter(({ growth }) => growth > maxGrowth)).toEqual([])
})
