type Rates = Readonly<Record<string, number>>

/** The peers that store outcomes, as ours does. The others are compared separately. */
const equals = ["graphile_worker", "pg_boss", "bullmq"]

const rateOf = (rates: Rates, key: string): number => {
  const rate = rates[key]
  if (rate === undefined) throw new Error(`${key} was not measured`)
  return rate
}

/** Over the fastest of the peers that were measured. */
const overBest = (rates: Rates, work: "dispatch" | "engine", whose: string = `${work}_pg`): number => {
  const best = Math.max(...equals.map((peer) => rates[`${work}_${peer}`] ?? 0))
  return rateOf(rates, whose) / best
}

/** "1m", "250k", "7". */
const short = (count: number): string => {
  if (count >= 1_000_000 && count % 1_000_000 === 0) return `${count / 1_000_000}m`
  return count >= 1_000 && count % 1_000 === 0 ? `${count / 1_000}k` : String(count)
}

/** The ratios that the issue names, and what a bare loop has of them, from the medians of one run. */
export const postgresRatios = (rates: Rates, waiting: number): Record<string, number> => {
  const ours = rateOf(rates, "dispatch_pg")
  return {
    dispatch_pg_vs_best: overBest(rates, "dispatch"),
    engine_vs_best: overBest(rates, "engine"),
    dispatch_pg_vs_ceiling: ours / rateOf(rates, "ceiling_pg"),
    dispatch_ceiling_vs_best: overBest(rates, "dispatch", "ceiling_pg"),
    engine_vs_ceiling: rateOf(rates, "engine_pg") / rateOf(rates, "engine_ceiling_pg"),
    engine_ceiling_vs_best: overBest(rates, "engine", "engine_ceiling_pg"),
    [`waiting_${short(waiting)}_vs_empty`]: rateOf(rates, "dispatch_pg_waiting") / ours,
    dispatch_pg_vs_graphile_unlogged: ours / rateOf(rates, "dispatch_graphile_worker_unlogged"),
    engine_vs_graphile_unlogged: rateOf(rates, "engine_pg") / rateOf(rates, "engine_graphile_worker_unlogged")
  }
}
