import { afterAll, beforeAll, expect, it } from "vitest"
import { makeRedactor, noSiteRedaction } from "../../src/capture/index.ts"
import { hostileParts, tokens } from "./hostileTexts.ts"
import { StepMeter } from "./StepMeter.ts"

/** Steps for each character of any text. Ordinary logs take about 50. */
const maxSteps = 200

/** A text in which the same part is searched again for each other one grows beyond this. */
const maxGrowth = 1.1

const characters = 800
const seed = 46

let meter: StepMeter
beforeAll(() => {
  meter = new StepMeter("/capture/redact/")
})
afterAll(() => meter.end())

const stepsFor = (part: string, length: number): number => {
  const text = part.repeat(Math.ceil(length / part.length))
  const { text: redact } = makeRedactor({ ...noSiteRedaction, query_parameters: ["ref"], customerEmail: "a@b.co" })
  return meter.stepsOf(() => redact(text)) / text.length
}

it("takes the words and expressions of hostile texts from the rules themselves", () => {
  for (const token of ["passphrase", "iban", "eyJ", "://", "-----BEGIN PRIVATE KEY-----", "&quot;", "[redacted]"]) {
    expect(tokens).toContain(token)
  }
})

it("counts nearly as many steps for the same work again, and more for more work", () => {
  // The first time, modules and caches are set up.
  stepsFor("{name:value:", characters)
  const steps = stepsFor("{name:value:", characters)
  expect(stepsFor("{name:value:", characters) / steps).toBeCloseTo(1, 0)
  expect(stepsFor("x", characters)).toBeLessThan(steps / 2)
})

it("redacts any text in a limited number of steps for each character, however long it is", { timeout: 120_000 }, () => {
  const costs = hostileParts(seed).map((part) => ({ part, steps: stepsFor(part, characters) }))
  const worst = costs.toSorted((a, b) => b.steps - a.steps).slice(0, 100)
  expect(worst.filter(({ steps }) => steps > maxSteps)).toEqual([])
  const grown = worst.map(({ part, steps }) => ({ part, growth: stepsFor(part, 16 * characters) / steps }))
  expect(grown.filter(({ growth }) => growth > maxGrowth)).toEqual([])
})
