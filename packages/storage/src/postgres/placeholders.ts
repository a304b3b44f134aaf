const known = new Map<string, string>()

/** A statement with a `?` for each parameter as PostgreSQL wants it. Texts are written in the code: there are a few hundred. */
export const numbered = (text: string): string => {
  const found = known.get(text)
  if (found !== undefined) return found
  let number = 0
  const made = text.replace(/\?/g, () => `$${++number}`)
  known.set(text, made)
  return made
}
