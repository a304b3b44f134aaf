/**
 * Two kinds of guess, timed one by one in random order: does a guess that is right but for its end take longer to refuse than
 * one that is wrong from its start? Gives Welch's t of the two: below 4.5 (in size) there is no evidence that it does, however
 * many samples were taken (the usual bound in leakage tests).
 */
export const timingStatistic = (
  refuse: (guess: string) => void,
  {
    wrongFromTheStart,
    wrongAtTheEnd,
    samples
  }: {
    readonly wrongFromTheStart: string
    readonly wrongAtTheEnd: string
    readonly samples: number
  }
): number => {
  const guesses = [wrongFromTheStart, wrongAtTheEnd] as const
  const times: readonly [Array<number>, Array<number>] = [[], []]
  const next = randomBits(20_260_101)
  for (let sample = -2_000; sample < samples; sample++) {
    const kind = next()
    const started = process.hrtime.bigint()
    refuse(guesses[kind])
    const took = Number(process.hrtime.bigint() - started)
    if (sample >= 0) times[kind].push(took)
  }
  // The slow tail shows what else the machine did, not the code.
  const bound = percentile([...times[0], ...times[1]], 0.9)
  const [one, other] = times.map((all) => moments(all.filter((took) => took <= bound)))
  if (one === undefined || other === undefined) throw new Error("no samples")
  return (other.mean - one.mean) / Math.sqrt(one.variance / one.count + other.variance / other.count)
}

/** A linear congruential generator's high bit: the same order in each run. */
const randomBits = (seed: number) => {
  let state = seed
  return (): 0 | 1 => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state >>> 31 === 1 ? 1 : 0
  }
}

const percentile = (values: Array<number>, part: number): number => {
  values.sort((a, b) => a - b)
  return values[Math.floor((values.length - 1) * part)] ?? 0
}

const moments = (values: ReadonlyArray<number>) => {
  const count = values.length
  const mean = values.reduce((sum, value) => sum + value, 0) / count
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (count - 1)
  return { count, mean, variance }
}
