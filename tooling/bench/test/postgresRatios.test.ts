import { describe, expect, it } from "vitest"
import { postgresRatios } from "../src/dispatch/postgresRatios.ts"

const rates = {
  dispatch_pg: 900,
  dispatch_pg_waiting: 810,
  dispatch_graphile_worker: 750,
  dispatch_graphile_worker_unlogged: 1_000,
  dispatch_pg_boss: 600,
  dispatch_bullmq: 500,
  ceiling_pg: 1_200,
  engine_pg: 8_000,
  engine_ceiling_pg: 10_000,
  engine_graphile_worker: 2_000,
  engine_graphile_worker_unlogged: 5_000,
  engine_pg_boss: 1_000,
  engine_bullmq: 4_000
}

describe("the ratios on PostgreSQL", () => {
  it("divide our rate by the best peer that keeps outcomes, by the ceiling and by itself, for each work", () => {
    expect(postgresRatios(rates, 1_000_000)).toEqual({
      dispatch_pg_vs_best: 1.2,
      engine_vs_best: 2,
      dispatch_pg_vs_ceiling: 0.75,
      dispatch_ceiling_vs_best: 1.6,
      engine_vs_ceiling: 0.8,
      engine_ceiling_vs_best: 2.5,
      waiting_1m_vs_empty: 0.9,
      dispatch_pg_vs_graphile_unlogged: 0.9,
      engine_vs_graphile_unlogged: 1.6
    })
  })

  it("exclude a peer that was not measured", () => {
    const { dispatch_bullmq: _, engine_bullmq: __, ...withoutRedis } = rates
    expect(postgresRatios(withoutRedis, 1_000_000).engine_vs_best).toBe(4)
  })

  it.each([
    [1_000_000, "waiting_1m_vs_empty"],
    [20_000, "waiting_20k_vs_empty"],
    [1_500_000, "waiting_1500k_vs_empty"],
    [1, "waiting_1_vs_empty"]
  ])("contain the number of waiting deliveries: %d", (waiting, key) => {
    expect(Object.keys(postgresRatios(rates, waiting))).toContain(key)
  })

  it("are missing if a value was not measured", () => {
    const { ceiling_pg: _, ...without } = rates
    expect(() => postgresRatios(without, 1)).toThrow("ceiling_pg was not measured")
  })
})
