import { randomUUID } from "node:crypto"
import { afterEach, beforeAll, describe, expect, test } from "vitest"
import { ada, bob, uuid } from "../../support/acme.ts"
import { type Begun, below } from "../../support/captures.ts"
import type { Emulator } from "../../support/emulator.ts"
import { hooked } from "../../support/hooks.ts"
import { closeReceivers } from "../../support/receiver.ts"
import { type Json, type Settings, signIn } from "../../support/settings.ts"
import type { Recording, Transcript } from "../../support/shapes.ts"
import { blackbox, bodyOf, refusalV2, type Target } from "../../support/target.ts"
import { nowhere, Workbench } from "../../support/workbench.ts"
import { onStores } from "../targets.ts"

/** Tokens, users, the account, and recordings through the settings API (R19, S1, S2). */

export const targets = onStores

/** On every target: what needs no clock to be moved. */
export const suite = (target: Target): void =>
  blackbox(target, "Settings API: people and recordings", () => {
    let bench: Workbench
    let settings: Settings
    beforeAll(async () => {
      bench = await Workbench.of(target)
      settings = bench.settings
    }, 60_000)
    afterEach(closeReceivers)
    const read = (path: string, token = ada) => bench.running.fetch(path, { token })
    const status = async (token: string) => (await read("/api/v2/recordings", token)).status

    describe("access tokens (Authentication 2 and 3, R19)", () => {
      test("are created with a name, shown once, and authenticate the API", async () => {
        const made = await settings.make<{ token: string; id: string }>("/tokens", { name: "CI" })
        expect(made).toMatchObject({
          name: "CI",
          created_at: expect.stringMatching(/Z$/),
          token: expect.stringMatching(/^tdk_[0-9A-Za-z]{46}$/)
        })
        expect(await status(made.token)).toBe(200)
      })

      test("can be viewed again and renamed, and are masked in the list", async () => {
        const { id, token } = await settings.make<{ token: string; id: string }>("/tokens", { name: "CI" })
        expect(await settings.get(`/tokens/${id}`)).toMatchObject({ name: "CI", token })
        expect(await settings.act("PATCH", `/tokens/${id}`, { name: "Nightly" })).toMatchObject({ name: "Nightly" })
        expect((await settings.ask("GET", "/tokens")).text).not.toContain(token)
        expect(await status(token)).toBe(200)
      })

      test("are 401 and not listed once revoked", async () => {
        const { id, token } = await settings.make<{ token: string; id: string }>("/tokens", { name: "CI" })
        await settings.remove(`/tokens/${id}`)
        expect(await status(token)).toBe(401)
        refusalV2(await settings.ask("GET", `/tokens/${id}`), 404)
        expect((await settings.ask("GET", "/tokens")).text).not.toContain(id)
        expect(await status(ada)).toBe(200)
      })

      test("have all permissions of their user", async () => {
        const { token } = await settings.make<{ token: string }>("/tokens", { name: "CI" })
        for (const path of ["/api/v2/recordings", "/api/v2/users", "/api/v1/recordings", "/api/settings/users"]) {
          expect((await read(path, token)).status, path).toBe(200)
        }
      })

      test("are visible to their own user only", async () => {
        const { id } = await settings.make<{ id: string }>("/tokens", { name: "CI" })
        const other = await signIn(bench.running, "bob@acme.test")
        for (const method of ["GET", "DELETE"]) refusalV2(await other.ask(method, `/tokens/${id}`), 404)
        expect((await other.ask("GET", "/tokens")).text).not.toContain(id)
      })

      test.each([{}, { name: " " }, { name: 5 }])("are refused with 422 that names name: %j", async (json) => {
        expect(refusalV2(await settings.ask("POST", "/tokens", { json }), 422)).toMatch(/name/)
      })
    })

    describe("users", () => {
      test("are in the account's list after an invitation", async () => {
        const made = await settings.make<Json>("/users", { email: "new@acme.test", name: "New", role: "admin" })
        expect(made).toMatchObject({ email: "new@acme.test", role: "admin", active: true })
        const found = await read("/api/v2/users/search?email=new@acme.test")
        expect(bodyOf<Json>(found)).toMatchObject({ name: "New", role: "admin" })
        expect(
          refusalV2(await settings.ask("POST", "/users", { json: { email: "new@acme.test", name: "X" } }), 422)
        ).toMatch(/email/)
      })

      test("have the permissions of their role, and show their notifications", async () => {
        const change = { role: "admin", notifications: { notify_first_view: "Disabled" } }
        expect(await settings.act("PATCH", "/users/12", change)).toMatchObject({
          role: "admin",
          notifications: { notify_first_view: "Disabled", notify_own_recordings: "Enabled" }
        })
        expect((await read("/api/v2/users", bob)).status).toBe(200)
        await settings.act("PATCH", "/users/12", { role: "member" })
        refusalV2(await read("/api/v2/users", bob), 403)
      })

      test("can upload, read and remove a profile picture, with audit entries", async () => {
        const body = Buffer.from("ffd8ffe000104a464946", "hex")
        const headers = { "content-type": "image/jpeg" }
        const shown = async () => bodyOf<Json>(await read("/api/v2/users/search?email=bob@acme.test"))
        const put = await settings.ask("PUT", "/users/12/picture", { headers, body })
        expect(bodyOf<Json>(put)).toMatchObject({ id: 12, has_profile_picture: true })
        expect(await shown()).toMatchObject({ has_profile_picture: true })
        const picture = await settings.ask("GET", "/users/12/picture")
        expect([picture.status, picture.header("content-type")], String(picture)).toEqual([200, "image/jpeg"])
        expect(picture.body.equals(body)).toBe(true)
        const { audit_entries } = await settings.get<{ audit_entries: ReadonlyArray<Json> }>(
          "/audit-entries?event_type=user.updated"
        )
        expect(audit_entries[0]).toMatchObject({
          metadata: {
            target_id: "12",
            changes: { profile_picture: { from: null, to: { content_type: "image/jpeg", size_bytes: 10 } } }
          }
        })
        await settings.remove("/users/12/picture")
        expect(await shown()).toMatchObject({ has_profile_picture: false })
        refusalV2(await settings.ask("GET", "/users/12/picture"), 404)
      })

      test("have tokens and sessions that are 401 while deactivated, and work again when reactivated", async () => {
        const session = await signIn(bench.running, "cyd@acme.test")
        const cyd = "token-of-cyd"
        await settings.act("POST", "/users/13/deactivate")
        expect(await status(cyd)).toBe(401)
        refusalV2(await session.ask("GET", "/folders"), 401)
        await settings.act("POST", "/users/13/reactivate")
        expect(await status(cyd)).toBe(200)
      })

      test("have capture links, share links and open captures that open nothing while deactivated", async () => {
        const asCyd = { token: "token-of-cyd" }
        const made = async <T>(path: string, json: object) =>
          bodyOf<T>(await bench.running.fetch(`/api/settings${path}`, { method: "POST", ...asCyd, json }), 201)
        const recording = await made<{ uuid: string }>("/recordings", { title: "Cyd's" })
        await bench.running.fetch(`/api/settings/recordings/${recording.uuid}/sharing`, {
          method: "PUT",
          ...asCyd,
          json: { sharing: "off" }
        })
        const share = new URL((await made<{ url: string }>(`/recordings/${recording.uuid}/share-links`, {})).url)
          .pathname
        const link = await made<{ id: string; url: string }>("/capture-links", { max_uses: null })
        const begin = `/api/capture/links/${link.url.split("/c/")[1]}/captures`
        const key = { "idempotency-key": randomUUID() }
        const open = bodyOf<Begun>(await bench.running.fetch(begin, { method: "POST", headers: key }), 201)
        const capture = { authorization: `Capture ${open.capture_token}` }
        const statuses = async () => {
          const answers = [
            await bench.running.fetch(share),
            await bench.running.fetch(begin, { method: "POST" }),
            await bench.running.fetch(begin, { method: "POST", headers: key }),
            await bench.running.fetch(below(bench.running, `/captures/${open.id}/pairing`), {
              method: "POST",
              headers: capture
            }),
            await bench.running.fetch(below(bench.running, open.finish_url), { method: "POST", headers: capture })
          ]
          return answers.map(({ status }) => status)
        }
        await settings.act("POST", "/users/13/deactivate")
        expect(await statuses()).toEqual([404, 404, 404, 401, 401])
        expect(await settings.get(`/capture-links/${link.id}`)).toMatchObject({ state: "revoked" })
        await settings.act("POST", "/users/13/reactivate")
        expect(await statuses()).toEqual([200, 201, 201, 201, 200])
        expect(await settings.get(`/capture-links/${link.id}`)).toMatchObject({ state: "active" })
      })

      test("are refused with 409 if no active admin would remain", async () => {
        const otto = await signIn(bench.running, "otto@other.test")
        const { users } = await otto.get<{ users: ReadonlyArray<{ id: number; role: string; active: boolean }> }>(
          "/users"
        )
        for (const { id } of users.filter(({ id }) => id !== 31)) await otto.act("POST", `/users/${id}/deactivate`)
        refusalV2(await otto.ask("POST", "/users/31/deactivate"), 409)
        refusalV2(await otto.ask("PATCH", "/users/31", { json: { role: "member" } }), 409)
      })
    })

    test("the account's name is in the next payload", async () => {
      const before = await settings.get<Json>("/account")
      expect(await settings.act("PATCH", "/account", { name: "Renamed" })).toEqual({ ...before, name: "Renamed" })
      const real = await bench.receiver(() => ({ status: 200 }))
      await bench.delivered(await bench.automation({ url: real.url }))
      expect(JSON.parse(String(real.received[0]?.body))).toMatchObject({ account: { id: "1", name: "Renamed" } })
      await settings.act("PATCH", "/account", { name: "Acme" })
    })

    test("S4: a session switches API access off, tokens are then 403, and sessions keep working", async () => {
      const before = await settings.get<Json>("/account")
      expect(before).toMatchObject({ id: 1, name: "Acme", api_access: true, sharing: "public" })
      const off = await settings.act("PATCH", "/account", { api_access: false })
      expect(off).toEqual({ ...before, api_access: false })
      expect(await status(ada)).toBe(403)
      const byToken = await read("/api/settings/account")
      expect(refusalV2(byToken, 403)).toBe("API access is not enabled for this account")
      expect(await settings.get("/account")).toEqual(off)
      const entries = await settings.get<{ audit_entries: ReadonlyArray<Json> }>(
        "/audit-entries?event_type=account.updated"
      )
      expect(entries.audit_entries[0]).toMatchObject({
        user: { email: "ada@acme.test" },
        metadata: { changes: { api_access: { from: true, to: false } } }
      })
      await settings.act("PATCH", "/account", { api_access: true })
      expect(await status(ada)).toBe(200)
    })

    test("S4: a token cannot change API access: 403, and nothing changes", async () => {
      const before = await settings.get<Json>("/account")
      const change = { method: "PATCH", token: ada, json: { name: "Renamed", api_access: false } }
      expect(refusalV2(await bench.running.fetch("/api/settings/account", change), 403)).toBe(
        "This takes a signed-in session, not an access token"
      )
      expect(await settings.get("/account")).toEqual(before)
    })

    describe("recordings (S2)", () => {
      const video = Buffer.from("1a45dfa39f4286810142f7810142f2810442f381084282847765626d", "hex")

      test("can be created, and downloaded byte for byte after one PUT of the file", async () => {
        const made = await settings.make<Recording>("/recordings", { title: "Uploaded", duration: 7 })
        const download = `/api/v2/recordings/${made.uuid}/download`
        refusalV2(await read(download), 409)
        const headers = { "content-type": "video/webm" }
        bodyOf(await settings.ask("PUT", `/recordings/${made.uuid}/video`, { headers, body: video }))
        const answer = await read(download)
        expect([answer.status, answer.header("content-type")], String(answer)).toEqual([200, "video/webm"])
        expect(answer.body.equals(video)).toBe(true)
        expect(bodyOf<Recording>(await read(`/api/v2/recordings/${made.uuid}`))).toMatchObject({
          title: "Uploaded",
          metadata: { duration: 7 }
        })
      })

      test("W13: fire when added to a folder and when moved, and not when added to the present folder", async () => {
        const first = await bench.automation({ url: nowhere })
        const second = await bench.automation({ url: nowhere })
        const recording = await bench.recording()
        const folderOf = async () => (await settings.get(`/recordings/${recording}`)).folder_id
        for (const { folder_id } of [first, first, second, first]) await bench.file(recording, folder_id)
        const fired = async () =>
          Promise.all([first, second].map(async ({ id }) => (await bench.log(`/automations/${id}`)).length))
        expect(await fired()).toEqual([2, 1])
        expect(await folderOf()).toBe(first.folder_id)
        await settings.remove(`/recordings/${recording}/folder`)
        expect(await folderOf()).toBeNull()
        expect(await fired()).toEqual([2, 1])
      })

      test("are 404 everywhere after deletion, and pending webhooks are delivered", async () => {
        const real = await bench.receiver(() => ({ status: 200 }))
        const made = await bench.automation({ url: real.url })
        const recording = await bench.fire(made)
        await settings.remove(`/recordings/${recording}`)
        for (const path of ["", "/download", "/transcript"]) {
          refusalV2(await read(`/api/v2/recordings/${recording}${path}`), 404)
        }
        expect((await bench.running.fetch(`/r/${recording}`)).status).toBe(404)
        expect(await bench.settled(`/automations/${made.id}`)).toMatchObject([{ state: "delivered" }])
        expect(JSON.parse(String(real.received[0]?.body))).toMatchObject({ recording: { id: recording } })
      })

      /** A recording with a transcript that was recognized. */
      const transcribed = async () => {
        const path = `/recordings/${await bench.recording()}/transcript`
        const headers = { "content-type": "text/vtt" }
        const body = "WEBVTT\n\n00:00:00.000 --> 00:00:04.000\nHello"
        bodyOf(await settings.ask("PUT", `${path}/import`, { headers, body }))
        return path
      }

      test("R14: show an edited transcript first; an empty edit removes it", async () => {
        const path = await transcribed()
        const texts = async () => bodyOf<Transcript>(await read(`/api/v2${path}`)).segments.map(({ text }) => text)
        await settings.act("PUT", path, { segments: [{ start_seconds: 0, end_seconds: 4, text: "Edited" }] })
        expect(await texts()).toEqual(["Edited"])
        await settings.act("PUT", path, { segments: [] })
        expect(await texts()).toEqual(["Hello"])
      })

      test("R14: show an imported transcript after an edited one, and before a legacy one", async () => {
        const path = await transcribed()
        const texts = async () => bodyOf<Transcript>(await read(`/api/v2${path}`)).segments.map(({ text }) => text)
        const bring = (type: string, body: string) =>
          settings.ask("PUT", `${path}/import`, { headers: { "content-type": type }, body })
        const cue = "00:00:01,250 --> 00:00:03,001\nImported"
        expect((await bring("text/vtt", `WEBVTT\n\n${cue}`)).status).toBe(200)
        expect(await texts()).toEqual(["Imported"])
        await settings.act("PUT", path, { segments: [{ start_seconds: 0, text: "Edited" }] })
        expect((await bring("application/x-subrip", `1\n${cue} again`)).status).toBe(200)
        expect(await texts()).toEqual(["Edited"])
        await settings.act("PUT", path, { segments: [] })
        expect(await texts()).toEqual(["Imported again"])
        expect((await bench.running.fetch(path.replace(/.recordings(.*).transcript/, "/r$1"))).text).toContain(
          "Imported again"
        )
        expect(refusalV2(await bring("text/vtt", `WEBVTT\n\n${cue.replace("-->", "->")}`), 422)).toMatch(
          /Line 3, column 1/
        )
      })
    })
  })

/** Where the clock can be moved, and transcripts are made by the control plane. */
export const suiteOnClock = (emulator: Emulator): void =>
  blackbox(emulator, "Settings API: people and recordings over time", () => {
    test("Authentication 5: a token does not expire", async () => {
      const world = await emulator.start(hooked([200]))
      const settings = await signIn(world, "ada@acme.test")
      const { token } = await settings.make<{ token: string }>("/tokens", { name: "CI" })
      await world.advance({ by: "P3650D" })
      for (const path of ["/api/v2/recordings", "/api/v2/users", "/api/v1/recordings", "/api/settings/users"]) {
        expect((await world.fetch(path, { token })).status, path).toBe(200)
      }
    })

    test("R15: a requested transcript is processing, and another request is 409 until it is ready", async () => {
      const world = await emulator.start(hooked([200]))
      const settings = await signIn(world, "ada@acme.test")
      const path = `/recordings/${uuid(2)}/transcript`
      const shown = async () => bodyOf<Transcript>(await world.fetch(`/api/v2${path}`, { token: ada })).status
      expect(await shown()).toBe("unavailable")
      await settings.act("POST", `${path}/request`)
      expect(await shown()).toBe("processing")
      refusalV2(await settings.ask("POST", `${path}/request`), 409)
    })
  })
