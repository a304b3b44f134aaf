import { settings, v1, v2 } from "@tapedeck/contract"
import { expect, test } from "vitest"
import { makeRouteOf, otherRoute } from "../../src/watch/routes.ts"

interface Api {
  readonly groups: Readonly<Record<string, { readonly endpoints: Readonly<Record<string, { readonly path: string }>> }>>
}

const paths = [v1.Api, v2.Api, settings.Api].flatMap((api: Api) =>
  Object.values(api.groups).flatMap(({ endpoints }) => Object.values(endpoints).map(({ path }) => path))
)

test("Each path of the contract is a route, whatever its parameters and its query are", () => {
  const routeOf = makeRouteOf()
  expect(paths.length).toBeGreaterThan(40)
  for (const path of paths) {
    const template = routeOf(path.replace(/:[a-z_]+/gi, "4711"))
    expect(template.replace(/:[a-z_]+/gi, ":"), path).toBe(path.replace(/:[a-z_]+/gi, ":"))
    expect(routeOf(`${path.replace(/:[a-z_]+/gi, "a%20b")}?page=2#x`), path).toBe(template)
  }
})

test("Whatever is asked for, there are no more routes than the server has", () => {
  const routeOf = makeRouteOf(["/api/settings/uploads/:upload"])
  expect(routeOf("/api/settings/uploads/1")).toBe("/api/settings/uploads/:upload")
  expect(routeOf("/")).toBe("/")
  const strange = ["", "*", "//", "/api/v2/recordings/", "/api/v2/recordings//download", "/r", "/r/a/b", "/__proto__"]
  expect(strange.map(routeOf)).toEqual(strange.map(() => otherRoute))
})
