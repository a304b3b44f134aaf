/**
 * Returns the name in `names` that `written` resembles: with other case or separators, with one or two typing errors, or with a word
 * more or less (`folder` for `folder_id`).
 */
export const suggest = (written: string, names: ReadonlyArray<string>): string | undefined => {
  const bare = bareName(written)
  const same = names.find((name) => bareName(name) === bare)
  if (same !== undefined) return same
  const slips = written.length <= 4 ? 1 : 2
  const [nearest] = names
    .filter((name) => Math.abs(name.length - written.length) <= slips)
    .map((name) => ({ name, distance: editDistance(written, name) }))
    .filter(({ distance }) => distance <= slips)
    .sort((one, other) => one.distance - other.distance)
  return nearest?.name ?? names.find((name) => name.startsWith(`${written}_`) || written.startsWith(`${name}_`))
}

const bareName = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, "")

/**
 * Returns the number of insertions, deletions, replacements and swaps of neighbouring characters between two texts (optimal string
 * alignment).
 */
const editDistance = (from: string, to: string): number => {
  let beforeLast: ReadonlyArray<number> = []
  let row: ReadonlyArray<number> = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let above = 0; above < from.length; above++) {
    const next = [above + 1]
    for (let index = 0; index < to.length; index++) {
      const replaced = (row[index] ?? 0) + (to[index] === from[above] ? 0 : 1)
      const isSwapped = above > 0 && index > 0 && from[above] === to[index - 1] && from[above - 1] === to[index]
      const swapped = isSwapped ? (beforeLast[index - 1] ?? 0) + 1 : replaced
      next.push(Math.min(replaced, swapped, (row[index + 1] ?? 0) + 1, (next[index] ?? 0) + 1))
    }
    beforeLast = row
    row = next
  }
  return row.at(-1) ?? 0
}
