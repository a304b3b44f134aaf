/**
 * The known parts of a JSON string in a template whose values are not known yet: its text before, between and after its
 * placeholders, with escapes decoded. A string without placeholders is one chunk.
 */
export type StringShape = ReadonlyArray<string>

/**
 * The keys of one object as they are read. Two keys that are the same, or that some values could make the same, would let
 * one member replace another: the JSON would parse, and a value be lost.
 */
export interface ObjectKeys {
  readonly literals: Set<string>
  readonly templated: Array<StringShape>
}

export const noKeys = (): ObjectKeys => ({ literals: new Set(), templated: [] })

/** Adds a key; gives what is wrong if it is, or could become, one of those before it. */
export const addKey = (keys: ObjectKeys, key: StringShape): string | undefined => {
  const [literal = ""] = key
  if (key.length > 1) {
    const clash =
      [...keys.literals].some((other) => couldBecome(key, other)) ||
      keys.templated.some((other) => couldCoincide(key, other))
    keys.templated.push(key)
    return clash ? couldRepeat : undefined
  }
  const clash = keys.templated.some((other) => couldBecome(other, literal))
  const repeated = keys.literals.has(literal)
  keys.literals.add(literal)
  return repeated ? `the key ${JSON.stringify(literal)} is in this object already` : clash ? couldRepeat : undefined
}

const couldRepeat = "this key could become the same as another key of this object"

const prefixOf = (key: StringShape): string => key[0] ?? ""
const suffixOf = (key: StringShape): string => key[key.length - 1] ?? ""

const couldBecome = (key: StringShape, literal: string): boolean =>
  literal.length >= prefixOf(key).length + suffixOf(key).length &&
  literal.startsWith(prefixOf(key)) &&
  literal.endsWith(suffixOf(key))

const couldCoincide = (one: StringShape, other: StringShape): boolean =>
  (prefixOf(one).startsWith(prefixOf(other)) || prefixOf(other).startsWith(prefixOf(one))) &&
  (suffixOf(one).endsWith(suffixOf(other)) || suffixOf(other).endsWith(suffixOf(one)))
