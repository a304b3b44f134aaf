import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type RunningEmulator, startEmulator } from "../src/index.ts"

describe("The console on the emulator", () => {
  let emulator: RunningEmulator
  beforeAll(async () => {
    emulator = await startEmulator()
  })
  afterAll(() => emulator.close())

  const get = (path: string, headers: Record<string, string> = {}) =>
    emulator.fetch(`http://localhost${path}`, { headers })

  test("is one document at /_emulator/ui and below it, with the address of its world", async () => {
    const html = await (await get("/_emulator/ui")).text()
    expect(html).toContain('<base href="/_emulator/ui/">')
    expect(await (await get("/_emulator/ui/recordings/x?y=1")).text()).toBe(html)
    await emulator.fork({ id: "other" })
    expect(await (await get("/worlds/other/_emulator/ui/folders")).text()).toContain(
      '<base href="/worlds/other/_emulator/ui/">'
    )
  })

  test("is where / of its world leads", async () => {
    await emulator.fork({ id: "leads" })
    for (const prefix of ["", "/worlds/leads"]) {
      const response = await get(`${prefix}/`)
      expect([response.status, response.headers.get("location")]).toEqual([302, `${prefix}/_emulator/ui`])
    }
  })

  test("has a page for an unknown path, and for every path of an unknown world", async () => {
    for (const path of ["/nothing", "/worlds/nothing/", "/worlds/nothing/_emulator/ui"]) {
      const response = await get(path, { accept: "text/html" })
      expect([response.status, await response.text()]).toEqual([404, expect.stringContaining("Page not found")])
    }
    expect(await (await get("/worlds/nothing/")).json()).toEqual({ error: "No such world: nothing" })
  })

  test("uses the control plane's lists of worlds, sinks and faults", async () => {
    const world = await startEmulator({ fixtures: { sinks: [{ id: "crm", respond: [500, 200] }] } })
    const read = async (path: string) => (await world.fetch(`http://localhost/_emulator${path}`)).json()
    expect(await read("/worlds")).toEqual({ worlds: ["default"] })
    expect(await read("/sinks")).toEqual({
      sinks: [{ id: "crm", url: "https://sinks.tapedeck.test/crm", respond: [500, 200], request_count: 0 }]
    })
    const fault = { match: { path: "/api/v2/recordings" }, respond: [503] }
    await world.fetch("http://localhost/_emulator/faults", {
      method: "POST",
      body: JSON.stringify(fault),
      headers: { "content-type": "application/json" }
    })
    expect(await read("/faults")).toEqual({ faults: [{ id: "fault1", ...fault, used: 0 }] })
    await world.close()
  })

  test("allows no inline and no external content", async () => {
    const policy = (await get("/_emulator/ui")).headers.get("content-security-policy") ?? ""
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'")
    expect(policy).not.toContain("unsafe")
  })

  test("has cacheable files, compressed if the browser accepts it, and no others", async () => {
    const html = await (await get("/_emulator/ui")).text()
    const [, script] = /src="(\/_emulator\/ui\/assets\/[^"]+\.js)"/.exec(html) ?? []
    const plain = await get(script ?? "")
    expect(plain.headers.get("cache-control")).toBe("public, max-age=31536000, immutable")
    expect(plain.headers.get("content-encoding")).toBeNull()
    const compressed = await get(script ?? "", { "accept-encoding": "gzip, br" })
    expect(compressed.headers.get("content-encoding")).toBe("gzip")
    expect((await get("/_emulator/ui/assets/..%2findex.html")).status).toBe(404)
    expect((await get("/_emulator/ui/assets/none.js")).status).toBe(404)
  })
})
