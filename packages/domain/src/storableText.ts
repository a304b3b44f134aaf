/** NUL and lone surrogates. PostgreSQL cannot store them in text, so no store accepts them. */
const unstorable = /[\0\p{Surrogate}]/u

export const isStorableText = (text: string): boolean => !unstorable.test(text)

/** Returns the position of the first unstorable character, in code units; -1 for none. */
export const unstorableAt = (text: string): number => text.search(unstorable)

const allUnstorable = /[\0\p{Surrogate}]/gu

/** Returns the text with U+FFFD instead of NUL and of each lone surrogate. */
export const storableText = (text: string): string => text.replace(allUnstorable, "\uFFFD")

export const UNSTORABLE_TEXT = "must not contain NUL or a lone surrogate"

type Path = ReadonlyArray<string | number>

/** A value inside a document. Its path is computed only when needed. */
interface Place {
  readonly value: unknown
  readonly key: string | number
  readonly parent: Place | null
}

/** Returns whether a JSON value has a string or a key that no store accepts. Works without recursion: a body can be nested deeper than the stack. */
const hasUnstorable = (value: unknown): boolean => {
  const waiting: Array<object> = []
  const isFound = (inner: unknown): boolean => {
    if (typeof inner === "string") return !isStorableText(inner)
    if (typeof inner === "object" && inner !== null) waiting.push(inner)
    return false
  }
  if (isFound(value)) return true
  for (let object = waiting.pop(); object !== undefined; object = waiting.pop()) {
    if (Array.isArray(object)) {
      if (object.some(isFound)) return true
    } else {
      for (const key of Object.keys(object)) {
        if (!isStorableText(key) || isFound((object as Record<string, unknown>)[key])) return true
      }
    }
  }
  return false
}

const maxPaths = 20

/** Returns the paths of strings and keys of a JSON value that no store accepts; at most the first 20. */
export const unstorableTextPaths = (value: unknown): ReadonlyArray<Path> => {
  const found: Array<Path> = []
  if (!hasUnstorable(value)) return found
  const waiting: Array<Place> = [{ value, key: "", parent: null }]
  for (let place = waiting.pop(); place !== undefined && found.length < maxPaths; place = waiting.pop()) {
    const isUnstorableKey = typeof place.key === "string" && !isStorableText(place.key)
    if (isUnstorableKey || (typeof place.value === "string" && !isStorableText(place.value))) found.push(pathOf(place))
    if (typeof place.value !== "object" || place.value === null) continue
    const parent = place
    const children = Array.isArray(place.value)
      ? place.value.map((item, index): Place => ({ value: item, key: index, parent }))
      : Object.entries(place.value).map(([key, item]): Place => ({ value: item, key, parent }))
    for (const child of children.reverse()) waiting.push(child)
  }
  return found
}

const pathOf = (place: Place): Path => {
  const path: Array<string | number> = []
  for (let at = place; at.parent !== null; at = at.parent) path.push(at.key)
  return path.reverse()
}
