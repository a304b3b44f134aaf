import type { Place, Walk } from "./Walk.ts"

const seconds = (began: number): number => (performance.now() - began) / 1000

interface Rules {
  /** Whether a walk that needs what this machine lacks is left out, or fails. */
  readonly isMissingAllowed: boolean
}

/** Runs walks, and prints a table of steps and times. Returns whether all ended, each in its time. */
export const runWalks = async (
  walks: ReadonlyArray<Walk>,
  place: Place,
  { isMissingAllowed }: Rules
): Promise<boolean> => {
  let isPassed = true
  for (const { maxMinutes, missing = () => undefined, pages, title, walk } of walks) {
    const lacks = missing()
    console.log(`\n${title} (${pages.join(", ")})`)
    if (lacks !== undefined) {
      console.log(`  ${isMissingAllowed ? "not tried:" : "FAILED  "} needs ${lacks}`)
      if (!isMissingAllowed) isPassed = false
      continue
    }
    const walkBegan = performance.now()
    try {
      await walk(place, async (step, run) => {
        const began = performance.now()
        const result = await run()
        console.log(`  ${`${seconds(began).toFixed(1)} s`.padStart(8)}  ${step}`)
        return result
      })
    } catch (error) {
      console.log(`  FAILED   ${(error as Error).message}`)
      isPassed = false
      continue
    }
    const total = seconds(walkBegan)
    const isInTime = total <= maxMinutes * 60
    console.log(`  ${`${total.toFixed(1)} s`.padStart(8)}  ${isInTime ? "of" : "FAILED: more than"} ${maxMinutes} min`)
    if (!isInTime) isPassed = false
  }
  return isPassed
}
