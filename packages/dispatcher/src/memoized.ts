/** Maximum number of memoized results. */
const maxResults = 1_000

/** Memoizes a function of a text, because many deliveries have few URLs. */
export const memoized = <A extends {} | null>(read: (text: string) => A): ((text: string) => A) => {
  const known = new Map<string, A>()
  return (text) => {
    let found = known.get(text)
    if (found === undefined) {
      found = read(text)
      if (known.size >= maxResults) known.clear()
      known.set(text, found)
    }
    return found
  }
}
