/** The name among `names` that `written` was probably meant to be: other case or separators, or a slip or two. */
export const suggest = (written: string, names: ReadonlyArray<string>): string | undefined => {
  const bare = bareName(written)
  const same = names.find((name) => bareName(name) === bare)
  if (same !== undefined) return same
  const slips = written.length <= 4 ? 1 : 2
  return names.find((name) => Math.abs(name.length - written.length) <= slips && editDistance(written, name) <= slips)
}

const bareName = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, "")

/** How many characters must be put in, taken out or replaced to get from one to the other (Levenshtein). */
const editDistance = (from: string, to: string): number => {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (const [above, character] of [...from].entries()) {
    const next = [above + 1]
    for (let index = 0; index < to.length; index++) {
      const replaced = (row[index] ?? 0) + (to[index] === character ? 0 : 1)
      next.push(Math.min(replaced, (row[index + 1] ?? 0) + 1, (next[index] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
