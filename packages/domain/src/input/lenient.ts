/** A path in a document, from its root. */
export type Path = ReadonlyArray<string | number>

/** A document without the values that its schema refused: any key may be missing. */
export type Lenient<A> =
  A extends ReadonlyArray<infer Item>
    ? ReadonlyArray<Lenient<Item> | undefined>
    : A extends object
      ? { readonly [Key in keyof A]?: Lenient<A[Key]> | undefined }
      : A

/** Returns the document without the refused values, so that the rest can be checked. List items keep their positions. */
export const withoutRefused = (value: unknown, refused: ReadonlyArray<Path>): unknown => {
  if (refused.length === 0) return value
  if (refused.some((path) => path.length === 0)) return undefined
  const byKey = Map.groupBy(refused, ([key]) => key)
  const rest = (key: string | number) => (byKey.get(key) ?? []).map((path) => path.slice(1))
  if (Array.isArray(value)) return value.map((item, index) => withoutRefused(item, rest(index)))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withoutRefused(item, rest(key))]))
}

/** Maximum depth, which exceeds that of any valid document, so that a value that contains itself has an end. */
const maxDepth = 200

/** Maximum number of objects, which exceeds that of any valid document, so that a value that contains itself has an end. */
const maxObjects = 4_000_000

/** Returns whether a key has the value `undefined`; true also of a value that contains itself. */
export const holdsUndefined = (value: unknown): boolean => {
  const waiting: Array<object> = isObject(value) ? [value] : []
  for (let left = maxObjects; waiting.length > 0; left--) {
    if (left === 0) return true
    const object = waiting.pop()!
    const isList = Array.isArray(object)
    for (const inner of isList ? object : Object.values(object)) {
      if (inner === undefined && !isList) return true
      if (isObject(inner)) waiting.push(inner)
    }
  }
  return false
}

/** Returns a copy without keys whose value is `undefined`. */
export const withoutUndefined = (value: unknown, depth = 0): unknown => {
  if (depth === maxDepth) return value
  if (Array.isArray(value)) return value.map((item) => withoutUndefined(item, depth + 1))
  if (!isObject(value)) return value
  const kept = Object.entries(value).filter(([, item]) => item !== undefined)
  return Object.fromEntries(kept.map(([key, item]) => [key, withoutUndefined(item, depth + 1)]))
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

/** Returns the items of a list that are present, each with its position. */
export const present = <Item>(list: ReadonlyArray<Item | undefined> | null | undefined): Array<[number, Item]> =>
  [...(list ?? []).entries()].filter((entry): entry is [number, Item] => entry[1] !== undefined)

/** Returns a comparison of paths by the order of their keys in the document. Keys that the document does not have come last. */
export const inDocumentOrder = (document: unknown) => {
  const position = positionsIn()
  return (one: Path, other: Path): number => {
    let place = document
    for (let depth = 0; ; depth++) {
      const a = one[depth]
      const b = other[depth]
      if (a === undefined || b === undefined) return one.length - other.length
      if (a !== b) return position(place, a) - position(place, b)
      place = isObject(place) ? place[a] : undefined
    }
  }
}

/** Returns a look-up of the positions of keys in objects. The keys of an object are numbered once. */
const positionsIn = () => {
  const numbered = new Map<object, ReadonlyMap<string, number>>()
  const keysOf = (place: object): ReadonlyMap<string, number> => {
    const known = numbered.get(place)
    if (known !== undefined) return known
    const keys = new Map(Object.keys(place).map((key, index) => [key, index]))
    numbered.set(place, keys)
    return keys
  }
  return (place: unknown, key: string | number): number => {
    if (typeof key === "number") return key
    return (isObject(place) ? keysOf(place).get(key) : undefined) ?? Number.MAX_SAFE_INTEGER
  }
}
