/** A duration as tests write it: `"1m"`, `"2h 36m"`, `"500ms"`, ISO 8601 (`"PT1M30S"`), or milliseconds. */
export type Elapsed = string | number

const unitsMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const

/** The largest unit first, each at most once. */
const short =
  /^(?:(\d+(?:\.\d+)?) *w *)?(?:(\d+(?:\.\d+)?) *d *)?(?:(\d+(?:\.\d+)?) *h *)?(?:(\d+(?:\.\d+)?) *m *)?(?:(\d+(?:\.\d+)?) *s *)?(?:(\d+(?:\.\d+)?) *ms *)?$/
const iso =
  /^P(?:(\d+(?:\.\d+)?)W)?(?:(\d+(?:\.\d+)?)D)?(?:T(?:(\d+(?:\.\d+)?)H)?(?:(\d+(?:\.\d+)?)M)?(?:(\d+(?:\.\d+)?)S)?)?$/

const orderMs = [unitsMs.w, unitsMs.d, unitsMs.h, unitsMs.m, unitsMs.s, unitsMs.ms]

/** The duration in milliseconds; undefined if it is invalid. */
export const elapsedMs = (elapsed: unknown): number | undefined => {
  if (elapsed === "0") return 0
  const ms = typeof elapsed === "number" ? elapsed : typeof elapsed === "string" ? textMs(elapsed.trim()) : Number.NaN
  return Number.isSafeInteger(ms) && ms >= 0 ? ms : undefined
}

const textMs = (text: string): number => {
  const match = short.exec(text) ?? iso.exec(text)
  if (match === null || text === "" || text === "P" || text.endsWith("T")) return Number.NaN
  // Fractions of a second have no exact binary form.
  return Math.round(match.slice(1).reduce((sum, one, unit) => sum + Number(one ?? "0") * orderMs[unit]!, 0))
}

const shownUnits = ["d", "h", "m", "s", "ms"] as const

/** The duration as a test would write it: `"0"`, `"36m"`, `"14h 36m"`. */
export const elapsedText = (ms: number): string => {
  if (ms <= 0) return "0"
  let rest = ms
  const parts: Array<string> = []
  for (const unit of shownUnits) {
    const count = Math.floor(rest / unitsMs[unit])
    rest -= count * unitsMs[unit]
    if (count > 0) parts.push(`${count}${unit}`)
  }
  return parts.join(" ")
}
