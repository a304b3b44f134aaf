import { settings, v1, v2 } from "@tapedeck/contract"

/** A path that exists, and the methods it exists for. */
interface Resource {
  readonly pattern: RegExp
  readonly methods: Set<string>
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

const endpoints = ({ groups }: Api) => Object.values(groups).flatMap((group) => Object.values(group.endpoints))

/** Every path of the contract, and of those that are given. */
const resources = (others: ReadonlyArray<string>): ReadonlyArray<Resource> => {
  const byPath = new Map<string, Resource>(
    others.map((path) => [path, { pattern: toPattern(path), methods: new Set(["GET"]) }])
  )
  for (const { path, method } of [...endpoints(v1.Api), ...endpoints(v2.Api), ...endpoints(settings.Api)]) {
    const resource = byPath.get(path) ?? { pattern: toPattern(path), methods: new Set() }
    resource.methods.add(method)
    byPath.set(path, resource)
  }
  return [...byPath.values()]
}

/** The methods that a path exists for: none if it does not exist. `readOnly` and `extra` are paths outside the contract. */
export const allowedMethods = (
  readOnly: ReadonlyArray<string>,
  extra: ReadonlyArray<{ readonly path: string; readonly methods: ReadonlyArray<string> }> = []
) => {
  const all = [
    ...resources(readOnly),
    ...extra.map(({ methods, path }) => ({ pattern: toPattern(path), methods: new Set(methods) }))
  ]
  return (path: string): ReadonlyArray<string> => {
    const found = all.filter(({ pattern }) => pattern.test(path))
    return withHead(new Set(found.flatMap(({ methods }) => [...methods])))
  }
}
