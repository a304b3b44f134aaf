const maxDepth = 3
const maxEntries = 30
/** Characters of a message: twice what a log keeps, so that a secret is redacted before it is cut. */
const maxCharacters = 16_000

/** Console arguments as one text, with the first argument's placeholders filled in. Runs no getter of the page. */
export const printed = ([first, ...rest]: ReadonlyArray<unknown>): string => {
  const text =
    typeof first === "string"
      ? first.replace(/%[sdifoOc]/g, (code) => {
          if (rest.length === 0) return code
          const value = rest.shift()
          return code === "%c" ? "" : printValue(value)
        })
      : printValue(first)
  return [text, ...rest.map(printValue)].join(" ").slice(0, maxCharacters)
}

/** A value: texts as they are, objects as JSON up to a depth. */
export const printValue = (value: unknown): string => print(value, 0, { left: maxCharacters })

const print = (value: unknown, depth: number, budget: { left: number }): string => {
  if (budget.left <= 0) return "…"
  const text = printOne(value, depth, budget)
  budget.left -= text.length
  return text
}

const printOne = (value: unknown, depth: number, budget: { left: number }): string => {
  if (typeof value === "string") return depth === 0 ? value : JSON.stringify(value.slice(0, budget.left))
  if (typeof value === "bigint") return `${value}n`
  if (typeof value === "function") return "(function)"
  if (typeof value !== "object" || value === null || value instanceof Date) return String(value)
  if (value instanceof Error) return (depth === 0 && value.stack) || `${value.name}: ${value.message}`
  if (value instanceof Element) return `<${value.localName}>`
  if (value instanceof Map || value instanceof Set) return print([...value], depth, budget)
  const isList = Array.isArray(value)
  if (depth >= maxDepth) return isList ? "[…]" : "{…}"
  const keys = Object.keys(value)
  const entries = keys.slice(0, maxEntries).map((key) => {
    const descriptor = Object.getOwnPropertyDescriptor(value, key)
    const text = descriptor?.get === undefined ? print(descriptor?.value, depth + 1, budget) : "(getter)"
    return isList ? text : `${JSON.stringify(key)}: ${text}`
  })
  if (keys.length > maxEntries) entries.push("…")
  return isList ? `[${entries.join(", ")}]` : `{${entries.join(", ")}}`
}
