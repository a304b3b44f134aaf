import { describe, expect, it } from "vitest"
import { ids } from "./fixtures.ts"
import { makeWorld } from "./world.ts"

const browser = { headers: { accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" } }

const typeOf = (response: Response) => response.headers.get("content-type")

describe("A browser", () => {
  it.each(["/nothing", "/recordings/nothing.php", "/r/a/b/c", "/%zz"])(
    "gets a page for an unknown path: %s",
    async (path) => {
      const world = await makeWorld()
      const response = await world.fetch(path, browser)
      expect([response.status, typeOf(response)]).toEqual([404, "text/html; charset=utf-8"])
      expect(await response.text()).toContain("<h1>Page not found</h1>")
      expect(response.headers.get("content-security-policy")).toContain("default-src 'none'")
      expect(response.headers.get("cache-control")).toBe("no-store")
      expect(response.headers.get("x-request-id")).not.toBeNull()
    }
  )

  it("gets the status and the headers of the error, as other clients do", async () => {
    const world = await makeWorld()
    const response = await world.fetch(`/r/${ids.bobs}`, { ...browser, method: "DELETE" })
    expect([response.status, response.headers.get("allow"), typeOf(response)]).toEqual([
      405,
      "GET, HEAD",
      "text/html; charset=utf-8"
    ])
  })

  it("gets an icon", async () => {
    const world = await makeWorld()
    const icon = await world.fetch("/favicon.ico")
    expect([icon.status, typeOf(icon)]).toEqual([200, "image/svg+xml"])
  })

  it("gets JSON from the API, whose errors do not depend on Accept (R2)", async () => {
    const world = await makeWorld()
    const response = await world.fetch("/api/v2/nothing", browser)
    expect([response.status, await response.json()]).toEqual([404, { error: "Not found" }])
  })
})

it.each([undefined, "*/*", "application/json", "text/htmlx, text/plain"])(
  "another client gets JSON for an unknown path: Accept %s",
  async (accept) => {
    const world = await makeWorld()
    const response = await world.fetch("/nothing", accept === undefined ? {} : { headers: { accept } })
    expect([response.status, await response.json()]).toEqual([404, { error: "Not found" }])
  }
)
