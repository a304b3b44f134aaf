import { describe, expect, test } from "vitest"
import { acme, ada, uuid } from "../../support/acme.ts"
import type { Emulator } from "../../support/emulator.ts"
import { blackbox, bodyOf } from "../../support/target.ts"
import { emulatorAlone } from "../targets.ts"

export const targets = emulatorAlone

/** PUT and DELETE {control}/recordings/{uuid}/video/{version}: a recording's files, changed while the world goes on. */
export const suite = (emulator: Emulator): void =>
  blackbox(emulator, "The files of a recording, by the control plane", () => {
    const base64 = (text: string) => Buffer.from(text).toString("base64")
    const started = () => emulator.start(acme({ recordings: [{ uuid: uuid(1) }] }))
    const path = (version: string, id = uuid(1)) => `/recordings/${id}/video/${version}`

    test("a missing, a processed and an edited file are served in one world, without an audit entry", async () => {
      const world = await started()
      const download = () => world.fetch(`/api/v2/recordings/${uuid(1)}/download`, { token: ada })
      const text = async () => (await download()).body.toString()
      const put = async (version: string, json: unknown) =>
        bodyOf<Record<string, unknown>>(await world.control(path(version), { method: "PUT", json }))
      expect((await download()).status).toBe(409)
      expect(await put("processed", { base64: base64("processed"), content_type: "video/mp4" })).toEqual({
        original: null,
        processed: { content_type: "video/mp4", size_bytes: 9 },
        edited: null
      })
      expect(await text()).toBe("processed")
      await put("edited", { base64: base64("edited"), content_type: "video/webm" })
      expect(await text()).toBe("edited")
      await put("original", { size: 5 })
      expect(await text()).toBe("edited")
      const removed = await world.control(path("edited"), { method: "DELETE" })
      expect(bodyOf(removed)).toMatchObject({ original: { size_bytes: 5 }, processed: { size_bytes: 9 }, edited: null })
      expect(await text()).toBe("processed")
      await world.control(path("processed"), { method: "DELETE" })
      await world.control(path("original"), { method: "DELETE" })
      expect((await download()).status).toBe(409)
      const { audit_entries } = bodyOf<{ audit_entries: ReadonlyArray<{ event_type: string }> }>(
        await world.fetch("/api/settings/audit-entries", { token: ada })
      )
      expect(new Set(audit_entries.map(({ event_type }) => event_type))).toEqual(new Set(["recording.downloaded"]))
    })

    describe("a file is refused", () => {
      test.each([
        ["no file", {}, 400],
        ["a path outside of the folder, over HTTP", { path: "/etc/hostname" }, 400],
        ["two contents", { base64: base64("x"), size: 1 }, 400],
        ["no base64", { base64: "%" }, 400],
        ["an unknown key", { size: 1, type: "video/mp4" }, 400]
      ])("if its body has %s", async (_, json, status) => {
        const world = await started()
        bodyOf(await world.control(path("edited"), { method: "PUT", json }), status)
      })

      test("with 404 if the recording or the version is unknown", async () => {
        const world = await started()
        for (const missing of [path("edited", uuid(2)), path("edited", "x"), path("thumbnail")]) {
          bodyOf(await world.control(missing, { method: "PUT", json: { size: 1 } }), 404)
          bodyOf(await world.control(missing, { method: "DELETE" }), 404)
        }
      })
    })
  })
