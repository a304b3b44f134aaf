import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startSite } from "../src/capture/site.ts"

let site: Awaited<ReturnType<typeof startSite>>
beforeAll(async () => {
  site = await startSite({ tapedeck: "tapedeck()", redactor: "", sentry: "sentry()", posthog: "posthog()" })
})
afterAll(() => site.close())

const scriptsOf = (html: string) => /<script src=.*<\/script>(?=\n)/.exec(html)?.[0] ?? ""
const load = async (url: string) => (await fetch(url)).text()

describe("the page of the capture bench", () => {
  it("is the same for all but the script, which comes from another origin", async () => {
    const plain = await load(site.page("plain"))
    for (const name of ["tapedeck", "sentry", "posthog"]) {
      const html = await load(site.page(name))
      const script = scriptsOf(html)
      expect(html.replace(script, "")).toBe(plain)
      const url = /src="([^"]+)"/.exec(script)![1]!
      expect(new URL(url).origin).not.toBe(new URL(site.page(name)).origin)
      expect(await load(url)).toBe(`${name}()`)
    }
  })

  it("counts what a script sent since the last look, and what others sent apart", async () => {
    const root = new URL("/", site.page("plain")).href
    const body = '{"kind":"console"}\n{"kind":"click"}\n{"kind":"console"}\n'
    const { status } = await fetch(`${root}tapedeck/api/capture/captures/bench/logs?stream=main`, {
      method: "POST",
      body
    })
    expect(status).toBe(204)
    await fetch(`${root}sentry/api/1/envelope/`, { method: "POST", body: "12345" })
    expect(site.take("tapedeck")).toEqual({
      bytes: body.length,
      paths: ["/tapedeck/api/capture/captures/bench/logs"],
      consoleEvents: 2
    })
    expect(site.take("sentry")).toMatchObject({ bytes: 5, paths: ["/sentry/api/1/envelope/"] })
    expect(site.take("tapedeck")).toEqual({ bytes: 0, paths: [], consoleEvents: 0 })
  })
})
