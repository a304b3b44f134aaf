import { settings, v1, v2 } from "@tapedeck/contract"

/** One step of a path: by name, or any. */
interface Step {
  readonly named: Map<string, Step>
  any: Step | undefined
  /** The template that ends here. */
  template: string | undefined
}

const step = (): Step => ({ named: new Map(), any: undefined, template: undefined })

const stepsOf = (path: string): ReadonlyArray<string> => path.split("/").slice(1)

const add = (root: Step, template: string): void => {
  let at = root
  for (const name of stepsOf(template)) {
    if (name.startsWith(":")) {
      at.any ??= step()
      at = at.any
    } else {
      const next = at.named.get(name) ?? step()
      at.named.set(name, next)
      at = next
    }
  }
  at.template ??= template
}

interface Api {
  readonly groups: Readonly<Record<string, { readonly endpoints: Readonly<Record<string, { readonly path: string }>> }>>
}

const contractPaths = [v1.Api, v2.Api, settings.Api].flatMap((api: Api) =>
  Object.values(api.groups).flatMap(({ endpoints }) => Object.values(endpoints).map(({ path }) => path))
)

const otherPaths = [
  "/",
  "/healthz",
  "/readyz",
  "/api/docs",
  "/api/v1/openapi.json",
  "/api/v2/openapi.json",
  "/api/settings/openapi.json",
  "/r/:uuid",
  "/r/:uuid/video",
  "/r/:uuid/thumbnail"
]

/** What stands for every path that is no route. */
export const otherRoute = "other"

/**
 * The route of a request target: the template of its path, `/api/v2/recordings/:uuid`. There are as many as the server has
 * routes, whatever is asked for; a path itself never is one.
 */
export const makeRouteOf = (extra: ReadonlyArray<string> = []): ((target: string) => string) => {
  const root = step()
  for (const path of [...contractPaths, ...otherPaths, ...extra]) add(root, path)
  return (target) => {
    const end = target.search(/[?;#]/)
    let at: Step | undefined = root
    for (const name of stepsOf(end === -1 ? target : target.slice(0, end))) {
      at = at.named.get(name) ?? (name === "" ? undefined : at.any)
      if (at === undefined) return otherRoute
    }
    return at.template ?? otherRoute
  }
}
