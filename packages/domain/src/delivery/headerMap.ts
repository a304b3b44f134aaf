import type { HeaderList } from "./Attempt.ts"

/**
 * Returns headers by name. Values of the same name are joined by a comma (RFC 9110, 5.3); values of `set-cookie`, which can contain
 * commas, are joined by a line feed, which no value contains.
 */
export const headerMap = (headers: HeaderList): Record<string, string> => {
  const map = new Map<string, string>()
  for (const [name, value] of headers) {
    const before = map.get(name)
    const separator = name.toLowerCase() === "set-cookie" ? "\n" : ", "
    map.set(name, before === undefined ? value : `${before}${separator}${value}`)
  }
  return Object.fromEntries(map)
}
