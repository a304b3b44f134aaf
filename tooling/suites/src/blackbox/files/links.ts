import { beforeAll, expect, test } from "vitest"
import { acme, ada, uuid } from "../../support/acme.ts"
import type { FlatRecording, Recording } from "../../support/shapes.ts"
import { blackbox, bodyOf, type Running, type Target } from "../../support/target.ts"
import { onStores } from "../targets.ts"

/** W12: links come from `public_url`, and are answered. */

const document = acme({
  config: { public_url: "https://rec.acme.test" },
  recordings: [1, 2, 3, 4, 5].map((n) => ({
    uuid: uuid(n),
    user: "bob@acme.test",
    title: `Title <b>${n}</b>`,
    impressions_count: n === 2 ? 7 : 0,
    video: { original: { base64: "AAAA", content_type: "video/mp4" } }
  }))
})

export const targets = onStores

export const suite = (target: Target): void =>
  blackbox(target, "W12: links", () => {
    let running: Running
    beforeAll(async () => {
      running = await target.start(document)
    }, 60_000)
    const read = async (n: number) =>
      bodyOf<Recording>(await running.fetch(`/api/v2/recordings/${uuid(n)}`, { token: ada }))
    const impressions = async (n: number) => (await read(n)).metadata.impressions_count

    test("url is {public_url}/r/{uuid}, not the listening address", async () => {
      const { url } = (await read(1)).metadata
      expect(url).toBe(`${running.publicUrl}/r/${uuid(1)}`)
      expect(url.startsWith(running.baseUrl)).toBe(false)
    })

    test("GET /r/{uuid} is a public page that plays the recording", async () => {
      const answer = await running.fetch(`/r/${uuid(1)}`)
      expect(answer.status, String(answer)).toBe(200)
      expect(answer.header("content-type")).toMatch(/^text\/html\b/)
      expect(answer.text).toMatch(/<video\b/)
      expect(answer.text, "a title is text, not markup").not.toContain("<b>1</b>")
    })

    test("a GET of the page adds one to impressions_count, in v2 and in v1", async () => {
      expect(await impressions(2)).toBe(7)
      await running.fetch(`/r/${uuid(2)}`)
      expect(await impressions(2)).toBe(8)
      await running.fetch(`/r/${uuid(2)}`)
      await running.fetch(`/r/${uuid(2).toUpperCase()}`)
      expect(await impressions(2)).toBe(10)
      const flat = bodyOf<FlatRecording>(await running.fetch(`/api/v1/recordings/${uuid(2)}`, { token: ada }))
      expect(flat.impressions_count).toBe(10)
    })

    test("no other request counts as a view", async () => {
      await running.fetch(`/r/${uuid(3)}`, { method: "HEAD" })
      await running.fetch(`/api/v2/recordings/${uuid(3)}/download`, { token: ada })
      await running.fetch(`/api/v2/recordings/${uuid(3)}/transcript`, { token: ada })
      await running.fetch(`/api/v1/recordings/${uuid(3)}`, { token: ada })
      await running.fetch("/api/v2/recordings", { token: ada })
      expect(await impressions(3)).toBe(0)
    })

    test("a preview robot and a browser that fetches ahead see the page, and are no views", async () => {
      const previews = [
        { "user-agent": "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)" },
        { "user-agent": "Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5" },
        { "user-agent": "WhatsApp/2.23.20.0 A" },
        { "user-agent": "TelegramBot (like TwitterBot)" },
        { "user-agent": "Mozilla/5.0 (compatible; NewBot/0.1; +https://bot.test/about)" },
        { "sec-purpose": "prefetch" },
        { "sec-purpose": "prefetch;prerender" },
        { purpose: "prefetch" }
      ]
      for (const headers of previews) {
        const answer = await running.fetch(`/r/${uuid(5)}`, { headers })
        expect(answer.status, String(answer)).toBe(200)
        expect(answer.text).toMatch(/<video\b/)
      }
      expect(await impressions(5)).toBe(0)
      const phone = "Mozilla/5.0 (Linux; Android 13; CUBOT P80) AppleWebKit/537.36 Chrome/120.0 Mobile Safari/537.36"
      await running.fetch(`/r/${uuid(5)}`, { headers: { "user-agent": phone, "sec-purpose": "" } })
      expect(await impressions(5)).toBe(1)
    })

    test("consecutive views are each counted", async () => {
      await Promise.all(Array.from({ length: 20 }, () => running.fetch(`/r/${uuid(4)}`)))
      expect(await impressions(4)).toBe(20)
    })

    test("the page of an unknown recording is 404", async () => {
      for (const path of [`/r/${uuid(99)}`, "/r/nonsense"]) {
        const answer = await running.fetch(path)
        expect(answer.status, String(answer)).toBe(404)
      }
    })
  })
