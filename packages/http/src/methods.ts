/** A path, with parameters as in the contract, and methods that it exists for. */
export interface PathMethods {
  readonly path: string
  readonly methods: ReadonlyArray<string>
}

/** HEAD is allowed wherever GET is (R1, R20). */
const withHead = (methods: ReadonlySet<string>): ReadonlyArray<string> =>
  [...methods].flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method])).sort()

/** Whether a path is one of the contract's, in which a segment such as `:uuid` stands for any that is not empty. */
const matcherOf = (path: string): ((given: ReadonlyArray<string>) => boolean) => {
  const segments = path.split("/")
  return (given) =>
    given.length === segments.length &&
    segments.every((segment, index) => (segment.startsWith(":") ? given[index] !== "" : given[index] === segment))
}

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
  const all = paths.map(({ methods, path }) => ({ matches: matcherOf(path), methods }))
  return (path: string): ReadonlyArray<string> => {
    const given = path.split("/")
    return withHead(new Set(all.flatMap(({ matches, methods }) => (matches(given) ? methods : []))))
  }
}
