import { expect, test } from "vitest"
import { acme, ada } from "../../support/acme.ts"
import { type Begun, below, boom, header, json, lines } from "../../support/captures.ts"
import { blackbox, bodyOf, refusalV2, type Target } from "../../support/target.ts"
import { webm } from "../../support/webm.ts"
import { emulatorAlone } from "../targets.ts"

export const targets = emulatorAlone

/** Abandonment, on the emulator's clock. */
export const suite = (target: Target): void =>
  blackbox(target, "captures on the clock", () => {
    test("a silent capture is abandoned after ten minutes with what arrived; an empty one is deleted", async () => {
      const running = await target.start(
        acme({
          folders: [{ id: "vip", name: "VIP", account: 1 }],
          sinks: [{ id: "crm", respond: [200] }],
          automations: [{ id: "a1", folder: "vip", url: "sink:crm" }]
        })
      )
      const control = async <T>(method: string, path: string, body?: unknown) => {
        const root = "/_emulator"
        const options = body === undefined ? {} : { headers: json, body: JSON.stringify(body) }
        return bodyOf<T>(await running.fetch(`${root}${path}`, { method, ...options }))
      }
      const link = bodyOf<{ url: string }>(
        await running.fetch("/api/settings/capture-links", {
          method: "POST",
          token: ada,
          headers: json,
          body: JSON.stringify({ folder_id: "vip", max_uses: null })
        }),
        201
      )
      const begin = async () =>
        bodyOf<Begun>(
          await running.fetch(`/api/capture/links/${link.url.split("/c/")[1]}/captures`, { method: "POST" }),
          201
        )
      const [kept, empty] = [await begin(), await begin()]
      await control("POST", "/clock/advance", { by: "PT5M" })
      const logged = await running.fetch(below(running, kept.logs_url), {
        method: "POST",
        headers: { authorization: `Capture ${kept.capture_token}`, "content-type": "application/x-ndjson" },
        body: Buffer.from(lines(header, boom))
      })
      expect(logged.status, String(logged)).toBe(204)
      const { fired } = await control<{ fired: ReadonlyArray<unknown> }>("POST", "/clock/advance", { until: "idle" })
      expect(fired).toMatchObject([
        { at: "2026-01-01T00:10:00.000Z", kind: "capture", id: empty.recording_uuid },
        { at: "2026-01-01T00:15:00.000Z", kind: "capture", id: kept.recording_uuid },
        { at: "2026-01-01T00:15:00.000Z", kind: "attempt", outcome: "success" }
      ])
      const recording = (begun: Begun) =>
        running.fetch(`/api/settings/recordings/${begun.recording_uuid}`, { token: ada })
      refusalV2(await recording(empty), 404)
      expect(bodyOf(await recording(kept))).toMatchObject({ folder_id: "vip", video: { original: null } })
      const repeated = await running.fetch(below(running, kept.finish_url), {
        method: "POST",
        headers: { authorization: `Capture ${kept.capture_token}` }
      })
      expect(bodyOf(repeated)).toMatchObject({ state: "abandoned" })
      await running.close()
    })

    test("a silent capture that is abandoned leaves its recording where an agent has written to it", async () => {
      const running = await target.start(acme({}))
      const call = (method: string, path: string, body?: unknown) =>
        running.fetch(path, {
          method,
          token: ada,
          ...(body !== undefined && { headers: json, body: JSON.stringify(body) })
        })
      const begin = async () => bodyOf<Begun>(await call("POST", "/api/settings/captures", { title: "Show us" }), 201)
      const [written, empty] = [await begin(), await begin()]
      const path = `/api/settings/recordings/${written.recording_uuid}`
      bodyOf(await call("PATCH", path, { summary: "Of the agent" }))
      bodyOf(await call("POST", "/_emulator/clock/advance", { by: "PT11M" }))
      expect(bodyOf(await call("GET", path))).toMatchObject({ title: "Show us", summary: "Of the agent" })
      refusalV2(await call("GET", `/api/settings/recordings/${empty.recording_uuid}`), 404)
      await running.close()
    })

    test("a capture that ends while the clock passes its lease is completed once", async () => {
      const running = await target.start(acme({}))
      const call = (method: string, path: string, body?: unknown) =>
        running.fetch(path, {
          method,
          token: ada,
          ...(body !== undefined && { headers: json, body: JSON.stringify(body) })
        })
      const begun = bodyOf<Begun>(await call("POST", "/api/settings/captures", {}), 201)
      const of = { authorization: `Capture ${begun.capture_token}`, "tus-resumable": "1.0.0" }
      const made = await running.fetch(below(running, begun.video_url), {
        method: "POST",
        headers: { ...of, "upload-defer-length": "1" }
      })
      const location = below(running, made.header("location")!)
      const body = webm(3_000_000)
      const sent = await running.fetch(location, {
        method: "PATCH",
        headers: { ...of, "content-type": "application/offset+octet-stream", "upload-offset": "0" },
        body
      })
      expect(sent.status, String(sent)).toBe(204)
      const finish = () => running.fetch(below(running, begun.finish_url), { method: "POST", headers: of })
      const advance = () => call("POST", "/_emulator/clock/advance", { by: "PT2M" })
      const [first, , second] = await Promise.all([finish(), advance(), finish()])
      for (const answer of [first, second]) expect(bodyOf(answer)).toMatchObject({ state: "finished" })
      const { pending } = bodyOf<{ pending: ReadonlyArray<unknown> }>(await call("GET", "/_emulator/clock"))
      expect(pending).toEqual([])
      const video = await call("GET", `/api/settings/recordings/${begun.recording_uuid}/video`)
      expect(video.body.equals(body)).toBe(true)
      await running.close()
    })
  })
