import { storeOf } from "@tapedeck/core"
import { Effect } from "effect"
import { beforeAll, describe, expect, it } from "vitest"
import { ids } from "./fixtures.ts"
import { makeWorld, type TestWorld } from "./world.ts"

const signedOut = { as: null }
const publicUrl = "https://rec.acme.test/base"
const page = `${publicUrl}/r/${ids.bobs}`

let world: TestWorld
beforeAll(async () => {
  world = await makeWorld({ config: { publicUrl, vendor: "Zappy" } })
})

const change = (json: object) => world.ask("/api/settings/account", { method: "PATCH", json })
const share = (sharing: string) =>
  world.ask(`/api/settings/recordings/${ids.bobs}/sharing`, { method: "PUT", json: { sharing } })
const bobsPage = async (): Promise<string> => (await world.ask(`/r/${ids.bobs}`, signedOut)).body

const oEmbed = async (query: Readonly<Record<string, string>>) => {
  const response = await world.fetch(`/oembed?${new URLSearchParams(query)}`, signedOut)
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

const saveRecording = (change: object) =>
  world.run(
    Effect.gen(function* () {
      const { recordings } = yield* storeOf("recordings")
      yield* recordings.save({ ...(yield* recordings.byUuid(ids.bobs as never))!, ...change })
    })
  )

describe("previews of links (T6)", () => {
  it("are off by default", async () => {
    expect(await bobsPage()).not.toMatch(/og:|twitter:|oembed/)
    expect((await oEmbed({ url: page })).status).toBe(404)
  })

  it("have title, summary and still image, escaped, where the account allows them", async () => {
    await change({ link_previews: true })
    const thumbnail = { fileId: "still", contentType: "image/jpeg", sizeBytes: 6, etag: "e1" }
    await saveRecording({ title: 'Pay "now" & <b>', summary: "é".repeat(301), video: { thumbnail } })
    const body = await bobsPage()
    expect(body).toContain('<meta property="og:title" content="Pay &quot;now&quot; &amp; &lt;b&gt;">')
    expect(body).toContain(`<meta property="og:description" content="${"é".repeat(300)}…">`)
    expect(body).toContain(`<meta property="og:url" content="${page}">`)
    expect(body).toContain(`<meta property="og:image" content="${page}/thumbnail">`)
    expect(body).toContain('<meta property="og:site_name" content="Zappy">')
    expect(body).toContain('<meta name="twitter:card" content="summary_large_image">')
    await saveRecording({ title: "Checkout fails", summary: null, description: null, video: {} })
    expect(await bobsPage()).not.toMatch(/og:image|og:description|summary_large_image/)
  })

  it("have an oEmbed at the address in the page: a link, or the frame for services that embed, with the moment of the link", async () => {
    const [, href = ""] = /type="application\/json\+oembed" href="([^"]*)"/.exec(await bobsPage()) ?? []
    const found = await world.fetch(href.replaceAll("&amp;", "&").slice(publicUrl.length), signedOut)
    const link = {
      version: "1.0",
      title: "Checkout fails",
      provider_name: "Zappy",
      provider_url: publicUrl,
      type: "link"
    }
    expect([found.headers.get("content-type"), await found.json()]).toEqual(["application/json", link])
    await change({ embed_origins: ["https://help.acme.test"] })
    const { body } = await oEmbed({ url: `${page}?t=1:23#x`, maxwidth: "320", maxheight: "400" })
    const html = `<iframe src="${page}/embed?t=1%3A23" title="Checkout fails" width="320" height="180" allow="autoplay; fullscreen" frameborder="0"></iframe>`
    expect(body).toEqual({ ...link, type: "video", html, width: 320, height: 180 })
    expect((await oEmbed({ url: `${page}/embed`, maxheight: "90" })).body).toMatchObject({ width: 160, height: 90 })
    const hostile = await oEmbed({ url: `${page}?t=${encodeURIComponent('"><script>')}` })
    expect(hostile.body.html).not.toContain("<script>")
  })

  it("refuse other input with an error that names it", async () => {
    const refusal = async (query: Readonly<Record<string, string>>) => {
      const { body, status } = await oEmbed(query)
      return `${status} ${body.error}`
    }
    for (const url of ["", "not an address", `${page}?${"x".repeat(2_000)}`]) {
      expect(await refusal({ url })).toMatch(/^400 url must be one address/)
    }
    expect((await oEmbed({ url: `${page}?${"x".repeat(2_000 - page.length - 1)}` })).status).toBe(200)
    for (const size of ["0", "-1", "1.5", "100000", "x"]) {
      expect(await refusal({ url: page, maxwidth: size })).toMatch(/^400 maxwidth must be/)
      expect(await refusal({ url: page, maxheight: size })).toMatch(/^400 maxheight must be/)
    }
    expect(await refusal({ url: page, format: "xml" })).toBe("501 format must be json")
    const twice = await world.fetch(`/oembed?url=${page}&url=${page}`, signedOut)
    expect([twice.status, await twice.text()]).toEqual([400, expect.stringContaining("url must be one address")])
  })

  it("answer for a recording that is not public, of another service or unknown alike, and count no view", async () => {
    const views = async () =>
      (await world.ask(`/api/v2/recordings/${ids.bobs}`)).body.metadata.impressions_count as number
    const before = await views()
    await oEmbed({ url: page })
    expect(await views()).toBe(before)
    const unknown = await oEmbed({ url: `${publicUrl}/r/${ids.unknown}` })
    expect(unknown.status).toBe(404)
    for (const url of [`https://elsewhere.test/base/r/${ids.bobs}`, `https://rec.acme.test/r/${ids.bobs}`, publicUrl]) {
      expect(await oEmbed({ url }), url).toEqual(unknown)
    }
    const links = `/api/settings/recordings/${ids.bobs}/share-links`
    const made = await world.fetch(links, { method: "POST", json: {} })
    const { url: shared } = (await made.json()) as { readonly url: string }
    expect(await oEmbed({ url: shared })).toEqual(unknown)
    const openedLink = await world.fetch(shared.slice(publicUrl.length), signedOut)
    expect([openedLink.status, await openedLink.text()]).toEqual([200, expect.not.stringMatching(/og:|oembed/)])
    for (const value of ["account", "off"]) {
      await share(value)
      expect(await oEmbed({ url: page }), value).toEqual(unknown)
      expect((await world.ask(`/r/${ids.bobs}`, { as: "bob" })).body).not.toMatch(/og:|oembed/)
    }
  })
})
