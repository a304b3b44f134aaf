/** So many are memoized. */
const most = 1_000

/** What a text says, read once: many deliveries go to few URLs. */
export const memoized = <A extends {} | null>(read: (text: string) => A): ((text: string) => A) => {
  const known = new Map<string, A>()
  return (text) => {
    let found = known.get(text)
    if (found === undefined) {
      found = read(text)
      if (known.size >= most) known.clear()
      known.set(text, found)
    }
    return found
  }
}
