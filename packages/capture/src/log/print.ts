import {
  apply,
  dataOf,
  descriptorOf,
  Element,
  get,
  getOwnPropertyDescriptor,
  getPrototypeOf,
  nativeOf,
  quietly,
  stringify,
  URL
} from "../intrinsics.ts"
import { cut, textOf } from "../text.ts"

/** Limit of the printed part of a value. `left` counts characters. */
interface Budget {
  left: number
  readonly depth: number
  readonly entries: number
}

/** Maximum number of characters of a message: twice the limit of a log, so that a secret is redacted before it is cut. */
export const maxMessage = 16_000

const ofMessage = (): Budget => ({ left: maxMessage, depth: 3, entries: 30 })

/** Returns console arguments as one text, with the placeholders of the first argument filled in. */
export const printed = ([first, ...rest]: ReadonlyArray<unknown>): string => {
  const budget = ofMessage()
  const show = (value: unknown) => print(value, 0, budget)
  const fill = (code: string) => {
    if (rest.length === 0) return code
    const value = rest.shift()
    return code === "%c" ? "" : show(value)
  }
  const text = typeof first === "string" ? cut(first, maxMessage).replace(/%[sdifoOc]/g, fill) : show(first)
  return cut([text, ...rest.map(show)].join(" "), maxMessage)
}

/**
 * Returns a value as text: texts unchanged, objects as JSON up to a depth. Runs no getters except those of errors. Reads only the start of
 * long values.
 */
export const printValue = (value: unknown, budget = ofMessage()): string => print(value, 0, budget)

/** Returns whether a value is an error of any realm. */
export const { isError = (value: unknown): value is Error => value instanceof Error } = Error as {
  readonly isError?: (value: unknown) => value is Error
}

/** Returns the stack of an error, if there is one. */
export const stackOf = (value: unknown): { readonly stack?: string } => {
  const stack = isError(value) && textOf(quietly(() => value.stack))
  return stack ? { stack } : {}
}

const print = (value: unknown, depth: number, budget: Budget): string => {
  const { left } = budget
  if (left <= 0) return "…"
  const text = quietly(() => printOne(value, depth, budget)) ?? "(unreadable)"
  budget.left = Math.min(budget.left, left - text.length)
  return text
}

const { isArray } = Array
const { isView } = ArrayBuffer
const { keys, prototype: plain } = Object
const typedArray = Uint8Array.prototype
const { toString: dateText } = Date.prototype

/** Classes of the browser whose objects are printed by their entries. */
const iterated: Readonly<Record<string, { readonly prototype: object } | undefined>> = {
  Map,
  Set,
  Headers: globalThis.Headers,
  FormData: globalThis.FormData,
  URLSearchParams: globalThis.URLSearchParams
}

/** Returns the name of a value's class, if the browser or the class has one. */
const tagOf = (value: object): string => {
  if (isView(value)) return (get(typedArray, Symbol.toStringTag, value) as string | undefined) ?? "DataView"
  const parent = getPrototypeOf(value)
  if (parent === null || parent === plain) return ""
  const tag = descriptorOf(value, Symbol.toStringTag)
  return tag ? textOf(tag.value) : apply(plain.toString, value, []).slice(8, -1).replace("Object", "")
}

const printOne = (value: unknown, depth: number, budget: Budget): string => {
  if (typeof value === "string") return depth === 0 ? cut(value, budget.left) : stringify(cut(value, budget.left))
  if (typeof value === "bigint") return `${value}n`
  if (typeof value === "function") return "(function)"
  if (typeof value !== "object" || value === null) return String(value)
  const deeper = (item: unknown) => print(item, depth + 1, budget)
  if (isError(value)) return printError(value, depth < budget.depth ? deeper : () => "…", depth)
  const member = (key: PropertyKey) => {
    const found = getOwnPropertyDescriptor(value, key)
    return found?.get === undefined ? deeper(found?.value) : "(getter)"
  }
  const inside = ([open, close]: string, length: number, each: (index: number) => string) => {
    const shown: Array<string> = []
    for (let index = 0; index < length; index++) {
      const isCut = depth >= budget.depth || index >= budget.entries || budget.left <= 0
      shown.push(isCut ? "…" : each(index))
      if (isCut) break
    }
    return `${open}${shown.join(", ")}${close}`
  }
  if (isArray(value)) return inside("[]", value.length, member)
  const tag = tagOf(value)
  const ofBrowser = () => {
    if (isView(value)) {
      const length = nativeOf(Uint8Array, value, "length") as number
      return `${tag}(${length}) ${inside("[]", length, member)}`
    }
    if (tag === "Date") return apply(dateText, value, []) as string
    if (tag === "RegExp") return `/${nativeOf(RegExp, value, "source")}/${nativeOf(RegExp, value, "flags")}`
    if (tag === "URL") return print(nativeOf(URL, value, "href"), depth, budget)
    if (tag.endsWith("Element")) return `<${nativeOf(Element, value, "localName")}>`
    const items: Array<unknown> = []
    for (const item of apply(get(iterated[tag]!.prototype, Symbol.iterator) as () => Iterable<unknown>, value, [])) {
      if (items.push(item) > budget.entries) break
    }
    return `${tag} ${inside("[]", items.length, (index) => deeper(items[index]))}`
  }
  const ofClass = tag && quietly(ofBrowser)
  if (ofClass) return ofClass
  const names = keys(value)
  return tag + inside("{}", names.length, (index) => `${stringify(names[index])}: ${member(names[index]!)}`)
}

/** Returns an error as text, with its message, which only some browsers include in the stack, its cause, and the errors that it aggregates. */
const printError = (error: Error, deeper: (value: unknown) => string, depth: number): string => {
  const read = (key: "name" | "message" | "stack") => textOf(quietly(() => error[key]))
  const message = read("message")
  const title = [read("name"), message].filter(Boolean).join(": ")
  const stack = depth === 0 ? read("stack") : ""
  const isTitled = stack.startsWith(title) || stack.includes(`: ${message}\n`)
  const parts = [isTitled && stack ? stack : [title, stack].filter(Boolean).join("\n")]
  for (const key of ["cause", "errors"]) {
    const value = dataOf(error, key)
    if (value !== undefined) parts.push(`${key}: ${deeper(value)}`)
  }
  return parts.join("\n")
}
