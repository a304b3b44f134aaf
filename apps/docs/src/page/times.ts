const units = [
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1_000]
] as const

/** A duration in words, such as `2 h 36 min`. */
export const durationText = (ms: number): string => {
  let left = ms
  const parts = units.flatMap(([unit, size]) => {
    const count = Math.floor(left / size)
    left -= count * size
    return count === 0 ? [] : [`${count} ${unit}`]
  })
  return parts.length === 0 ? "0 min" : parts.join(" ")
}

/** An instant of the world's clock, in UTC: `1 January 2026, 00:01:00`. */
export const instantText = (iso: string): string =>
  new Date(iso)
    .toLocaleString("en-GB", { timeZone: "UTC", dateStyle: "long", timeStyle: "medium" })
    .replace(" at ", ", ")
