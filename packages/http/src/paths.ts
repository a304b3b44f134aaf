import type { ApiVersion } from "@tapedeck/contract"

/** The decoded path of a request target, without what follows `?`, `;` or `#`; null where it is no path, or malformed. */
export const pathOf = (target: string): string | null => {
  if (!target.startsWith("/")) return null
  const end = target.search(/[?;#]/)
  const path = end === -1 ? target : target.slice(0, end)
  if (!path.includes("%")) return path
  try {
    return decodeURI(path)
  } catch {
    return null
  }
}

/**
 * Whether a decoded path can be an endpoint's. An empty segment would be taken for an empty parameter, and so a trailing
 * slash for a record that is not there; no store keeps NUL.
 */
export const canExist = (path: string): boolean => !/\/\/|\/$|\0/.test(path)

const isBelow = (path: string, root: string): boolean =>
  path.startsWith(root) && (path.length === root.length || path[root.length] === "/")

/** Everything below `/api` wants a token, known or not (R1). */
export const isApi = (path: string): boolean => isBelow(path, "/api")

export const isSettings = (path: string): boolean => isBelow(path, "/api/settings")

/** In whose shape errors are answered: v1's below its root, v2's everywhere else (R2). */
export const versionOf = (path: string | null): ApiVersion => (path !== null && isBelow(path, "/api/v1") ? "v1" : "v2")
