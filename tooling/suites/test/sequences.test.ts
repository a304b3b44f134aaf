import { describe, expect, test } from "vitest"
import { Model } from "../src/determinism/model/Model.ts"
import { playOnce, playTwice } from "../src/determinism/playTwice.ts"

/** Random sequences of calls: by fixed seeds, or by `TAPEDECK_SEED`; `TAPEDECK_OPERATIONS` says how long. */

// The fixed ones are such that each of a dozen small mistakes in the model (a delay, an order, a filter, a cancellation …) fails one.
const { TAPEDECK_SEED: own, TAPEDECK_OPERATIONS: length } = process.env
const seeds = own === undefined ? [1, 11, 41] : own.split(",").map(Number)
const operations = Number(length ?? 400)

describe("Determinism: the same calls in process and over HTTP in another process", () => {
  test.each(seeds)("give the same bytes for seed %i", async (seed) => {
    const statuses = await playTwice({ seed, operations })
    expect(statuses["200"] ?? 0).toBeGreaterThan(operations / 4)
  })
})

describe("An independent model of deliveries, from the specification's tables", () => {
  test.each(seeds)("agrees after each call for seed %i", async (seed) => {
    const exchanges = await playOnce({ seed, operations }, ({ start }) => new Model(start))
    expect(exchanges.length).toBeGreaterThan(operations)
  })
})
