import { once } from "node:events"
import { request } from "node:http"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { acme, ada, bob, cyd, otto } from "../../support/acme.ts"
import { type Begun, below, boom, captureCalls, header, json, lines } from "../../support/captures.ts"
import type { Answer } from "../../support/http.ts"
import { blackbox, bodyOf, type Running, refusalV2, type Target } from "../../support/target.ts"
import { webm } from "../../support/webm.ts"
import { onStores } from "../targets.ts"

export const targets = onStores

/** Captures by links, sites and agents: the same on the emulator and on the server. */
export const suite = (target: Target): void =>
  blackbox(target, "captures", () => {
    let running: Running
    beforeAll(async () => {
      running = await target.start(acme({ folders: [{ id: "vip", name: "VIP", account: 1 }] }))
    })
    afterAll(() => running.close())

    const { append, begin, capture, create, finish, log, makeLink, recording, settings, tokenOf, tus } = captureCalls(
      () => running
    )

    describe("capture links", () => {
      test("have defaults, and show customers the account and the request", async () => {
        const link = await makeLink(
          { title: "Show us", message: "Please", customer: { email: "eve@example.com" } },
          bob
        )
        expect(link).toMatchObject({
          title: "Show us",
          uses: 0,
          max_uses: 1,
          max_duration_seconds: 1800,
          state: "active",
          created_by: { email: "bob@acme.test" }
        })
        expect(link.url).toMatch(new RegExp(`^${running.publicUrl}/c/[\\w-]{22,}$`))
        expect(bodyOf(await capture("GET", `/links/${tokenOf(link.url)}`, null))).toEqual({
          title: "Show us",
          message: "Please",
          account_name: "Acme",
          requested_by: "Bob",
          has_customer: true,
          sources: { screen: "required", microphone: "optional", camera: "optional", logs: "optional" },
          max_duration_seconds: 1800,
          redirect_url: null
        })
      })

      test("are visible to their creator and to admins of the account only", async () => {
        const { id } = await makeLink({}, bob)
        bodyOf(await settings("GET", `/capture-links/${id}`, undefined, bob))
        bodyOf(await settings("GET", `/capture-links/${id}`, undefined, ada))
        for (const token of [cyd, otto]) refusalV2(await settings("GET", `/capture-links/${id}`, undefined, token), 404)
        const ofCyd = bodyOf<{ capture_links: ReadonlyArray<unknown> }>(
          await settings("GET", "/capture-links", undefined, cyd)
        )
        expect(ofCyd.capture_links).toEqual([])
      })

      test("refuse unknown keys with 400 and every wrong value with 422 by name", async () => {
        expect(refusalV2(await settings("POST", "/capture-links", { titel: "x" }), 400)).toMatch(/titel/)
        const wrong = { max_uses: 0, folder_id: "none", redirect_url: "http://a.test", sources: { screen: "on" } }
        const message = refusalV2(await settings("POST", "/capture-links", wrong), 422)
        for (const field of ["max_uses", "folder_id", "redirect_url", "sources"]) expect(message).toContain(field)
      })

      test("are 410 after their maximum number of uses, get a use back from a discarded capture, and are 404 once revoked", async () => {
        const { id, url } = await makeLink()
        const begun = bodyOf<Begun>(await capture("POST", `/links/${tokenOf(url)}/captures`, null), 201)
        refusalV2(await capture("GET", `/links/${tokenOf(url)}`, null), 410)
        refusalV2(await capture("POST", `/links/${tokenOf(url)}/captures`, null), 410)
        expect((await capture("DELETE", `/captures/${begun.id}`, begun.capture_token)).status).toBe(204)
        refusalV2(await recording(begun), 404)
        expect(bodyOf(await settings("GET", `/capture-links/${id}`))).toMatchObject({ uses: 0, state: "active" })
        expect((await settings("DELETE", `/capture-links/${id}`)).status).toBe(204)
        expect((await settings("DELETE", `/capture-links/${id}`)).status).toBe(204)
        refusalV2(await capture("GET", `/links/${tokenOf(url)}`, null), 404)
        expect(bodyOf(await settings("GET", `/capture-links/${id}`))).toMatchObject({ state: "revoked" })
        refusalV2(await settings("PATCH", `/capture-links/${id}`, { title: "x" }), 409)
      })
    })

    describe("a capture", () => {
      test("by a link is a recording without a video, and then has the video that was uploaded while it was recorded", async () => {
        const begun = await begin({
          title: "Show us",
          folder_id: "vip",
          customer: { email: "eve@example.com" },
          helpdesk: { platform: "zendesk", ticket_id: "4711" }
        })
        refusalV2(await settings("GET", `/recordings/${begun.recording_uuid}/video`), 409)
        const location = await create(begun)
        const bytes = webm(1_300_000)
        const first = await append(begun, location, 0, bytes.subarray(0, 1_200_000))
        expect([first.status, first.header("upload-offset")], String(first)).toEqual([204, "1200000"])
        refusalV2(await append(begun, location, 0, bytes), 409)
        const head = await capture("HEAD", location, begun.capture_token, { headers: tus })
        expect([head.status, head.header("upload-offset"), head.header("upload-defer-length")]).toEqual([
          200,
          "1200000",
          "1"
        ])
        expect((await append(begun, location, 1_200_000, bytes.subarray(1_200_000))).status).toBe(204)
        const done = bodyOf(await finish(begun, { title: "It fails", note: "see 0:10" }))
        expect(done).toEqual({ id: begun.id, recording_uuid: begun.recording_uuid, state: "finished" })
        expect(bodyOf(await finish(begun, { title: "Again" }))).toEqual(done)
        expect(bodyOf(await recording(begun))).toMatchObject({
          title: "It fails",
          description: "see 0:10",
          customer: { email: "eve@example.com" },
          folder_id: "vip",
          user: { email: "ada@acme.test" },
          metadata: { recording_type: "Received", helpdesk_info: { ticket_id: "4711" } },
          video: { original: { content_type: "video/webm", size_bytes: 1_300_000 } }
        })
        const video = await settings("GET", `/recordings/${begun.recording_uuid}/video`)
        expect(video.body.equals(bytes)).toBe(true)
        refusalV2(await capture("POST", begun.video_url, begun.capture_token, { headers: tus }), 401)
      })

      test("whose connection is cut inside a body keeps what arrived, shows its offset, and goes on there", async () => {
        const begun = await begin()
        const location = await create(begun)
        const bytes = webm(1_300_000)
        const offset = async () =>
          Number((await capture("HEAD", location, begun.capture_token, { headers: tus })).header("upload-offset"))
        const cut = request(`${running.baseUrl}${below(running, location)}`, {
          agent: false,
          method: "PATCH",
          headers: {
            ...tus,
            authorization: `Capture ${begun.capture_token}`,
            "content-type": "application/offset+octet-stream",
            "content-length": bytes.length,
            "upload-offset": 0
          }
        })
        const broken = once(cut, "error")
        const send = (part: Buffer) => new Promise((resolve) => cut.write(part, resolve))
        await send(bytes.subarray(0, 1_048_576))
        await expect.poll(offset, { timeout: 30_000, interval: 20 }).toBe(1_048_576)
        await send(bytes.subarray(1_048_576, 1_050_000))
        // Less than a stretch is written at the end of the request. The answer shows that the server has read it.
        expect(await offset()).toBe(1_048_576)
        cut.destroy()
        await broken
        await expect.poll(offset, { timeout: 30_000, interval: 20 }).toBe(1_050_000)
        expect((await append(begun, location, 1_050_000, bytes.subarray(1_050_000))).status).toBe(204)
        bodyOf(await finish(begun))
        const video = await settings("GET", `/recordings/${begun.recording_uuid}/video`)
        expect(video.body.equals(bytes)).toBe(true)
      })

      test("a part that is begun again is the upload that it has, with the bytes that came", async () => {
        const begun = await begin()
        const location = await create(begun, 0)
        expect((await append(begun, location, 0, webm(1_000))).status).toBe(204)
        expect(await create(begun, 0)).toBe(location)
        expect(await create(begun, 1)).not.toBe(location)
        bodyOf(await finish(begun))
        expect(bodyOf(await recording(begun))).toMatchObject({ video: { original: { size_bytes: 1_000 } } })
      })

      test("of several runs serves the first run by its part number, whatever the order of arrival", async () => {
        const begun = await begin()
        const [later, first] = [webm(300), webm(200)]
        await append(begun, await create(begun, 1), 0, later)
        await append(begun, await create(begun, 0), 0, first)
        await create(begun, 2)
        bodyOf(await finish(begun))
        const video = await settings("GET", `/recordings/${begun.recording_uuid}/video`)
        expect(video.body.equals(first), String(video)).toBe(true)
      })

      test("beyond 1.5 MB for each second is 413, and keeps the earlier bytes", async () => {
        const begun = await begin({ max_duration_seconds: 1 })
        const location = await create(begun)
        expect((await append(begun, location, 0, webm(1_500_000))).status).toBe(204)
        refusalV2(await append(begun, location, 1_500_000, Buffer.alloc(1)), 413)
        bodyOf(await finish(begun))
        const answer = bodyOf<{ video: { original: { size_bytes: number } } }>(await recording(begun))
        expect(answer.video.original.size_bytes).toBe(1_500_000)
      })

      test("of an agent is a recording of type Sent that belongs to the agent", async () => {
        const begun = bodyOf<Begun>(await settings("POST", "/captures", { title: "How to" }, bob), 201)
        bodyOf(await finish(begun))
        expect(bodyOf(await recording(begun, bob))).toMatchObject({
          title: "How to",
          metadata: { recording_type: "Sent" },
          user: { email: "bob@acme.test" }
        })
      })
    })

    describe("a capture token", () => {
      test("opens its own capture and nothing else", async () => {
        const [one, other] = [await begin(), await begin()]
        for (const path of [`/captures/${other.id}/finish`, `/captures/${other.id}/pairing`, other.logs_url]) {
          refusalV2(await capture("POST", path, one.capture_token), 401)
        }
        refusalV2(await capture("DELETE", `/captures/${other.id}`, one.capture_token), 401)
        refusalV2(await capture("POST", `/captures/${one.id}/pairing`, null), 401)
        for (const path of ["/api/settings/recordings", "/api/v2/recordings"]) {
          refusalV2(await running.fetch(path, { token: one.capture_token }), 401)
          refusalV2(await capture("GET", path, one.capture_token), 401)
        }
        refusalV2(await running.fetch(`/api/capture/captures/${one.id}/pairing`, { method: "POST", token: ada }), 401)
      })

      test("pairs another page by a one-time code, whose token can only append logs and create codes", async () => {
        const begun = await begin()
        const { code } = bodyOf<{ code: string }>(
          await capture("POST", `/captures/${begun.id}/pairing`, begun.capture_token),
          201
        )
        const redeem = () => capture("POST", "/pairings", null, { headers: json, body: JSON.stringify({ code }) })
        const paired = bodyOf<{ log_token: string; logs_url: string }>(await redeem(), 201)
        expect(paired).toMatchObject({ capture_id: begun.id, logs_url: begun.logs_url })
        refusalV2(await redeem(), 404)
        expect((await log(`${paired.logs_url}?stream=tab`, paired.log_token, lines(header, boom))).status).toBe(204)
        bodyOf(await capture("POST", `/captures/${begun.id}/pairing`, paired.log_token), 201)
        refusalV2(await capture("POST", begun.finish_url, paired.log_token), 401)
        refusalV2(await capture("POST", begun.video_url, paired.log_token, { headers: tus }), 401)
        refusalV2(await capture("DELETE", `/captures/${begun.id}`, paired.log_token), 401)
      })
    })

    describe("a site", () => {
      const origin = "https://shop.example.com"
      let site: { readonly id: string; readonly key: string }
      beforeAll(async () => {
        const input = { name: "Shop", origins: ["https://*.example.com"], helpdesk: { platform: "zendesk" } }
        site = bodyOf(await settings("POST", "/sites", input), 201)
      })
      const beginAt = (from: string | null, body: object = {}) =>
        capture("POST", `/sites/${site.key}/captures`, null, {
          headers: { ...json, ...(from !== null && { origin: from }) },
          body: JSON.stringify(body)
        })
      const sharedWith = (answer: Answer) => answer.header("access-control-allow-origin") ?? null

      test("creates captures for its own origins only, without an owner, for a ticket", async () => {
        const answer = await beginAt(origin, { ticket_id: "4712", title: "Help" })
        const begun = bodyOf<Begun>(answer, 201)
        expect(sharedWith(answer)).toBe(origin)
        expect(bodyOf(await recording(begun))).toMatchObject({
          title: "Help",
          user: null,
          metadata: { helpdesk_info: { platform: "zendesk", ticket_id: "4712" } }
        })
        const foreign = await beginAt("https://evil.test")
        refusalV2(foreign, 403)
        expect(sharedWith(foreign)).toBeNull()
      })

      test("answers preflights of its pages, for its own captures only", async () => {
        const begun = bodyOf<Begun>(await beginAt(origin), 201)
        const preflight = (path: string, from: string) =>
          capture("OPTIONS", path, null, { headers: { origin: from, "access-control-request-method": "POST" } })
        expect(sharedWith(await preflight(begun.logs_url, origin))).toBe(origin)
        expect(sharedWith(await preflight(begun.video_url, origin))).toBe(origin)
        expect(sharedWith(await preflight(begun.logs_url, "https://evil.test"))).toBeNull()
        expect(sharedWith(await preflight((await begin()).logs_url, origin))).toBeNull()
      })

      test("is 404 while it is off, and only admins manage sites", async () => {
        refusalV2(await settings("GET", "/sites", undefined, bob), 403)
        const wrong = { name: "x", origins: ["http://shop.example.com", "https://a.test/path"] }
        expect(refusalV2(await settings("POST", "/sites", wrong), 422)).toMatch(/origins\[0\].*origins\[1\]/)
        bodyOf(await settings("PATCH", `/sites/${site.id}`, { is_enabled: false }))
        refusalV2(await beginAt(origin), 404)
      })
    })
  })
