/** A path in a document, from its root. */
export type Path = ReadonlyArray<string | number>

/** A document without the values that its schema refused: any key may be missing. */
export type Lenient<A> =
  A extends ReadonlyArray<infer Item>
    ? ReadonlyArray<Lenient<Item> | undefined>
    : A extends object
      ? { readonly [Key in keyof A]?: Lenient<A[Key]> | undefined }
      : A

/** The document without what was refused, so that what is left can still be checked. List items keep their places. */
export const withoutRefused = (value: unknown, refused: ReadonlyArray<Path>): unknown => {
  if (refused.length === 0) return value
  if (refused.some((path) => path.length === 0)) return undefined
  const byKey = Map.groupBy(refused, ([key]) => key)
  const rest = (key: string | number) => (byKey.get(key) ?? []).map((path) => path.slice(1))
  if (Array.isArray(value)) return value.map((item, index) => withoutRefused(item, rest(index)))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withoutRefused(item, rest(key))]))
}

/** Deeper than any valid document, so that a value that contains itself ends here. */
const maxDepth = 200

/** More than any valid document has, so that a value that contains itself ends here. */
const maxObjects = 4_000_000

/** Whether a key has the value `undefined`, or it is not known, as of a value that contains itself. */
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

/** A copy in which keys with the value `undefined` are left out. */
export const withoutUndefined = (value: unknown, depth = 0): unknown => {
  if (depth === maxDepth) return value
  if (Array.isArray(value)) return value.map((item) => withoutUndefined(item, depth + 1))
  if (!isObject(value)) return value
  const kept = Object.entries(value).filter(([, item]) => item !== undefined)
  return Object.fromEntries(kept.map(([key, item]) => [key, withoutUndefined(item, depth + 1)]))
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

/** The items of a list that are there, each with its place. */
export const present = <Item>(list: ReadonlyArray<Item | undefined> | null | undefined): Array<[number, Item]> =>
  [...(list ?? []).entries()].filter((entry): entry is [number, Item] => entry[1] !== undefined)

/** Puts paths in the order in which their keys stand in the document; what is missing from it comes last. */
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

/** Returns the positions of keys in objects. An object's keys are numbered once. */
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
