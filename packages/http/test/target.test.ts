import { beforeAll, describe, expect, it } from "vitest"
import { decodablePath, routableTarget, splitTarget } from "../src/pipeline/target.ts"
import { makeWorld, type TestWorld } from "./world.ts"

/** A request's target has one reading. */

it.each([
  ["/a", "/a", ""],
  ["/a?", "/a", ""],
  ["/a?b=1", "/a", "b=1"],
  ["/a;b=1", "/a;b=1", ""],
  ["/a;b?c;d?e", "/a;b", "c;d?e"],
  ["/a#b?c", "/a", ""],
  ["/a?b#c?d", "/a", "b"],
  ["", "", ""]
])("%s is a path and a query", (target, path, query) => {
  expect(splitTarget(target)).toEqual({ path, query })
})

it.each([
  ["/a;b?c;d", "/a%3Bb?c;d"],
  ["/a?b#c", "/a?b"],
  ["/a", "/a"]
])("%s is given to the router without what it splits by itself", (target, routed) => {
  expect(routableTarget(target)).toBe(routed)
})

it.each([
  ["/api/%zz?x", "/api/%25zz"],
  ["/%61pi/%ff/%41", "/%61pi/%25ff/%41"],
  ["/api/%", "/api/%25"]
])("%s has a path whose root is found", (target, path) => {
  expect(decodablePath(target)).toBe(path)
})

describe("a target below /api", () => {
  let world: TestWorld
  beforeAll(async () => {
    world = await makeWorld()
  })

  const spellings = ["/api/%zz", "/api/v2/%ff", "/api/v2/recordings/%c3%28", "/api/v2/recordings;page=2", "/%61pi/%"]

  it.each(spellings)("needs a token, and is unknown with one: %s (R1)", async (path) => {
    expect((await world.fetch(path, { as: null })).status).toBe(401)
    expect((await world.fetch(path)).status).toBe(404)
  })

  it.each(["/api/v1/%zz", "/api/v1/recordings;x"])("has the shape of its version: %s (R2)", async (path) => {
    expect(await (await world.fetch(path)).json()).toEqual({ error: { message: "Not found", code: 404 } })
  })

  it("has no query behind `;`, whatever it holds", async () => {
    for (const path of [
      "/api/v2/users/search;email=a%00@b.c",
      "/api/v2/users/search%3Bemail=a",
      "/api/settings/users;x"
    ])
      expect((await world.fetch(path)).status, path).toBe(404)
  })

  it("refuses what its query holds, by the same reading", async () => {
    for (const query of ["email=a%00@b.c", "email=a@b.c&email=c@d.e"]) {
      expect((await world.fetch(`/api/v2/users/search?${query}`)).status, query).toBe(400)
    }
  })
})
