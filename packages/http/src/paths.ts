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

const isBelow = (path: string, root: string): boolean =>
  path.startsWith(root) && (path.length === root.length || path[root.length] === "/")

/** Everything below `/api` wants a token, known or not (R1). */
export const isApi = (path: string): boolean => isBelow(path, "/api")

export const isSettings = (path: string): boolean => isBelow(path, "/api/settings")

/** In whose shape errors are answered: v1's below its root, v2's everywhere else (R2). */
export const versionOf = (path: string | null): ApiVersion => (path !== null && isBelow(path, "/api/v1") ? "v1" : "v2")
