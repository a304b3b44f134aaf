import { expect, test } from "vitest"
import { acme, ada } from "../support/acme.ts"
import { type Begun, below, boom, header, json, lines } from "../support/captures.ts"
import { blackbox, bodyOf, refusalV2, type Target } from "../support/target.ts"

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
  })
