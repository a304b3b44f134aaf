import type { Json } from "../json.ts"
import { utf8Length } from "../utf8.ts"
import type { Placeholder } from "./Placeholder.ts"

/** Maximum size of all arrays in a body together, in UTF-8 bytes as they are sent: the logs of a page can be long. */
export const MAX_ARRAYS_BYTES = 256 * 1024

/** The last item of an array of which items are left out. */
const ELLIPSIS = "…"

/** An array as it stands in one kind of place, inside strings or outside. */
interface ArrayText {
  readonly items: ReadonlyArray<string>
  /** Size of the whole array; more than `MAX_ARRAYS_BYTES` if items are missing. */
  readonly bytes: number
  /** Number of places where the array occurs. */
  count: number
}

const brackets = 2

const keyOf = (variable: string, inString: boolean) => `${inString ? '"' : ""}${variable}`

/** JSON text as it is written inside a string. */
const escaped = (json: string): string => JSON.stringify(json).slice(1, -1)

const itemText = (item: Json, inString: boolean): string =>
  inString ? escaped(JSON.stringify(item)) : JSON.stringify(item)

/** Items that could not be sent are not even written. */
const arrayText = (array: ReadonlyArray<Json>, inString: boolean): ArrayText => {
  const items: Array<string> = []
  let bytes = brackets
  for (const item of array) {
    const text = itemText(item, inString)
    bytes += utf8Length(text) + (items.length > 0 ? 1 : 0)
    items.push(text)
    if (bytes > MAX_ARRAYS_BYTES) break
  }
  return { items, bytes, count: 0 }
}

/** Returns the size that each place may take: the same for all, except for places that need less; the others share their rest. */
const shareOf = (arrays: Iterable<ArrayText>): number => {
  const bySize = [...arrays].sort((a, b) => a.bytes - b.bytes)
  let left = MAX_ARRAYS_BYTES
  let places = bySize.reduce((sum, { count }) => sum + count, 0)
  for (const { bytes, count } of bySize) {
    const share = Math.floor(left / places)
    if (bytes > share) return share
    left -= bytes * count
    places -= count
  }
  return MAX_ARRAYS_BYTES
}

/** Whole items, dropped from the end until what is left has room; the last one says that some are missing. */
const fitted = ({ bytes, items }: ArrayText, share: number, inString: boolean): string => {
  if (bytes <= share) return `[${items.join(",")}]`
  const ellipsis = itemText(ELLIPSIS, inString)
  let left = share - brackets - utf8Length(ellipsis)
  const kept = items.findIndex((item) => {
    left -= utf8Length(item) + 1
    return left < 0
  })
  return `[${[...items.slice(0, kept), ellipsis].join(",")}]`
}

/** The texts of the arrays that stand in a template's places: together at most `MAX_ARRAYS_BYTES`. */
export const arrayTexts = <Variable extends string>(
  places: Iterable<Placeholder<Variable>>,
  values: Readonly<Record<Variable, Json>>
): ((place: Placeholder<Variable>) => string | undefined) => {
  const arrays = new Map<string, ArrayText>()
  for (const { inString, variable } of places) {
    const value = values[variable]
    if (!Array.isArray(value)) continue
    const key = keyOf(variable, inString)
    const known = arrays.get(key) ?? arrayText(value, inString)
    known.count++
    arrays.set(key, known)
  }
  const share = shareOf(arrays.values())
  const texts = new Map<string, string>()
  for (const [key, array] of arrays) texts.set(key, fitted(array, share, key.startsWith('"')))
  return ({ inString, variable }) => texts.get(keyOf(variable, inString))
}
