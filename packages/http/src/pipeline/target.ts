/** A request target in its two parts (RFC 9112, 3.2.1). */
export interface Target {
  readonly path: string
  /** Without the `?`. */
  readonly query: string
}

/** Splits a request target. `;` is a character of the path or of the query like any other; a fragment is no part of a request. */
export const splitTarget = (target: string): Target => {
  const fragment = target.indexOf("#")
  const sent = fragment === -1 ? target : target.slice(0, fragment)
  const start = sent.indexOf("?")
  return start === -1 ? { path: sent, query: "" } : { path: sent.slice(0, start), query: sent.slice(start + 1) }
}

/** A target for the router, for which `;` is another `?`. */
export const routableTarget = (target: string): string => {
  const { path, query } = splitTarget(target)
  const escaped = path.replaceAll(";", "%3B")
  return query === "" ? escaped : `${escaped}?${query}`
}

/** Its result is used, because the bundler takes `decodeURI` for pure, and removes a call whose result is not. */
const decoded = (text: string): string | undefined => {
  try {
    return decodeURI(text)
  } catch {
    return undefined
  }
}

const isDecodable = (text: string): boolean => decoded(text) !== undefined

/** The path of a target for the router. A segment that cannot be decoded is one of that text, so that the path before it is found. */
export const decodablePath = (target: string): string => {
  const path = routableTarget(splitTarget(target).path)
  if (isDecodable(path)) return path
  return path
    .split("/")
    .map((segment) => (isDecodable(segment) ? segment : segment.replaceAll("%", "%25")))
    .join("/")
}
