/** A path, with parameters as in the contract, and methods that it exists for. */
export interface PathMethods {
  readonly path: string
  readonly methods: ReadonlyArray<string>
}

/** HEAD is allowed wherever GET is (R1, R20). */
const withHead = (methods: ReadonlySet<string>): ReadonlyArray<string> =>
  [...methods].flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method])).sort()

const toPattern = (path: string): RegExp =>
  new RegExp(`^${path.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/:[A-Za-z_]+/g, "[^/]+")}$`)

interface Api {
  readonly groups: Readonly<
    Record<string, { readonly endpoints: Readonly<Record<string, { readonly path: string; readonly method: string }>> }>
  >
}

/** Every path of an API. */
export const endpointsOf = ({ groups }: Api): ReadonlyArray<PathMethods> =>
  Object.values(groups)
    .flatMap((group) => Object.values(group.endpoints))
    .map(({ method, path }) => ({ path, methods: [method] }))

/** The methods that a path exists for: none if it does not exist. */
export const allowedMethods = (paths: ReadonlyArray<PathMethods>) => {
  const all = paths.map(({ methods, path }) => ({ pattern: toPattern(path), methods }))
  return (path: string): ReadonlyArray<string> =>
    withHead(new Set(all.flatMap(({ methods, pattern }) => (pattern.test(path) ? methods : []))))
}
