import { settings, v1, v2 } from "@tapedeck/contract"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { type Endpoint, makeRouteTable, type Root, type RouteMatch, routeName } from "../src/index.ts"
import { wholeProduct } from "../src/node/index.ts"

interface Contract {
  readonly method: string
  readonly path: string
}

interface Api {
  readonly groups: Readonly<Record<string, { readonly endpoints: Readonly<Record<string, Contract>> }>>
}

const endpoints = [v1.Api, v2.Api, settings.Api].flatMap((api: Api) =>
  Object.values(api.groups).flatMap(({ endpoints }) => Object.values(endpoints))
)

const table = makeRouteTable(wholeProduct)

const matchOf = (method: string, url: string): Promise<RouteMatch> =>
  Effect.runPromise(table.route({ method, url }, Effect.succeed))

describe("the route table", () => {
  it("has each endpoint of the contract, whatever its parameters and its query", async () => {
    expect(endpoints.length).toBeGreaterThan(60)
    for (const { method, path } of endpoints) {
      for (const url of [path.replace(/:[a-z_]+/gi, "4711"), `${path.replace(/:[a-z_]+/gi, "a%20b")}?page=2#x`]) {
        const { endpoint } = await matchOf(method, url)
        expect([endpoint?.methods, endpoint?.path], url).toEqual([[method], path])
      }
    }
  })

  it("has at most one name for each endpoint, whatever the requested path", async () => {
    expect(routeName(await matchOf("PUT", "/api/v2/recordings/1"))).toBe("/api/v2/recordings/:uuid")
    const strange = ["", "*", "//", "/api/v2/recordings/", "/api/v2/recordings//download", "/r", "/r/a/b", "/__proto__"]
    for (const url of strange) expect(routeName(await matchOf("GET", url)), url).toBe("other")
  })

  it.each([
    ["/api", "token"],
    ["/api/nothing", "token"],
    ["/%61pi/nothing", "token"],
    ["/api/settings", "session"],
    ["/api/settings?x", "session"],
    ["/api/settings/nothing", "session"],
    ["/api/settingsx", "token"],
    ["/apix", "public"],
    ["/api%zz", "public"],
    ["http://host/api/v2/recordings", "public"]
  ])("has a root for %s, which is no endpoint, with the access: %s", async (url, access) => {
    const { endpoint, root } = await matchOf("GET", url)
    expect([endpoint, root.access]).toEqual([null, access])
  })
})

it("loads a root's endpoints again with the next request, if that failed", async () => {
  let loads = 0
  const late: Endpoint = {
    methods: ["GET"],
    path: "/late/one",
    operation: null,
    answer: () => Effect.die("not called")
  }
  const root: Root = {
    path: "/late",
    access: "public",
    version: "v2",
    rules: {},
    isShared: false,
    isStrict: false,
    load: async () => {
      loads += 1
      if (loads === 1) throw new Error("too many open files")
      return [late]
    }
  }
  const table = makeRouteTable({ roots: [root] })
  const find = () => Effect.runPromise(table.route({ method: "GET", url: "/late/one" }, Effect.succeed))
  await expect(find()).rejects.toThrow("too many open files")
  const [first, second] = await Promise.all([find(), find()])
  expect([first.endpoint, second.endpoint, (await find()).endpoint, loads]).toEqual([late, late, late, 2])
})
