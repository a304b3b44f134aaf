import { beforeEach, describe, expect, test } from "vitest"
import { ada, bob, uuid } from "../support/acme.ts"
import type { Emulator, World } from "../support/emulator.ts"
import { hooked, recording, start } from "../support/hooks.ts"
import { type Json, type Settings, signIn } from "../support/settings.ts"
import type { Recording, Transcript } from "../support/shapes.ts"
import { blackbox, bodyOf, refusalV2 } from "../support/target.ts"

/** Tokens, users, the account, and recordings through the settings API (R19, S1, S2). */

export const suite = (emulator: Emulator): void =>
  blackbox(emulator, "Settings API: people and recordings", () => {
    let world: World
    let settings: Settings
    beforeEach(async () => {
      const segments = [{ start_seconds: 0, end_seconds: 4, text: "Hello" }]
      const recordings = [
        { ...recording, transcript: { segments } },
        { ...recording, uuid: uuid(2) }
      ]
      world = await emulator.start(hooked([200], {}, { recordings }))
      settings = await signIn(world, "ada@acme.test")
    })
    const status = async (token: string) => (await world.fetch("/api/v2/recordings", { token })).status

    describe("access tokens (Authentication 2 and 3, R19)", () => {
      test("made with a name, shown at once, and it opens the API", async () => {
        const made = await settings.make<{ token: string; id: string }>("/tokens", { name: "CI" })
        expect(made).toMatchObject({
          name: "CI",
          created_at: start,
          token: expect.stringMatching(/^tdk_[0-9A-Za-z]{46}$/)
        })
        expect(await status(made.token)).toBe(200)
      })

      test("it can be viewed again, and renamed; in the list it is masked", async () => {
        const { id, token } = await settings.make<{ token: string; id: string }>("/tokens", { name: "CI" })
        expect(await settings.get(`/tokens/${id}`)).toMatchObject({ name: "CI", token })
        expect(await settings.act("PATCH", `/tokens/${id}`, { name: "Nightly" })).toMatchObject({ name: "Nightly" })
        expect((await settings.ask("GET", "/tokens")).text).not.toContain(token)
        expect(await status(token)).toBe(200)
      })

      test("revoked it is 401, and gone from the list", async () => {
        const { id, token } = await settings.make<{ token: string; id: string }>("/tokens", { name: "CI" })
        await settings.remove(`/tokens/${id}`)
        expect(await status(token)).toBe(401)
        refusalV2(await settings.ask("GET", `/tokens/${id}`), 404)
        expect((await settings.ask("GET", "/tokens")).text).not.toContain(id)
        expect(await status(ada)).toBe(200)
      })

      test("Authentication 5: it does not expire, and does all that its user may", async () => {
        const { token } = await settings.make<{ token: string }>("/tokens", { name: "CI" })
        await world.advance({ by: "P3650D" })
        for (const path of ["/api/v2/recordings", "/api/v2/users", "/api/v1/recordings", "/api/settings/users"]) {
          expect((await world.fetch(path, { token })).status, path).toBe(200)
        }
      })

      test("one's own only", async () => {
        const { id } = await settings.make<{ id: string }>("/tokens", { name: "CI" })
        const other = await signIn(world, "bob@acme.test")
        for (const method of ["GET", "DELETE"]) refusalV2(await other.ask(method, `/tokens/${id}`), 404)
        expect((await other.ask("GET", "/tokens")).text).not.toContain(id)
      })

      test.each([{}, { name: " " }, { name: 5 }])("422 names name: %j", async (json) => {
        expect(refusalV2(await settings.ask("POST", "/tokens", { json }), 422)).toMatch(/name/)
      })
    })

    describe("users", () => {
      test("invited, they are in the account's list", async () => {
        const made = await settings.make<Json>("/users", { email: "new@acme.test", name: "New", role: "admin" })
        expect(made).toMatchObject({ email: "new@acme.test", role: "admin", active: true })
        const found = await world.fetch("/api/v2/users/search?email=new@acme.test", { token: ada })
        expect(bodyOf<Json>(found)).toMatchObject({ name: "New", role: "admin" })
        expect(
          refusalV2(await settings.ask("POST", "/users", { json: { email: "new@acme.test", name: "X" } }), 422)
        ).toMatch(/email/)
      })

      test("role and notifications change what they may and what is shown", async () => {
        const change = { role: "admin", notifications: { notify_first_view: "Disabled" } }
        expect(await settings.act("PATCH", "/users/12", change)).toMatchObject({
          role: "admin",
          notifications: { notify_first_view: "Disabled", notify_own_recordings: "Enabled" }
        })
        expect((await world.fetch("/api/v2/users", { token: bob })).status).toBe(200)
      })

      test("deactivated, their tokens and sessions are 401; reactivated, they work again", async () => {
        const session = await signIn(world, "bob@acme.test")
        await settings.act("POST", "/users/12/deactivate")
        expect(await status(bob)).toBe(401)
        refusalV2(await session.ask("GET", "/folders"), 401)
        await settings.act("POST", "/users/12/reactivate")
        expect(await status(bob)).toBe(200)
        expect((await session.ask("GET", "/folders")).status).toBe(200)
      })

      test("an account keeps an active admin: 409", async () => {
        refusalV2(await settings.ask("POST", "/users/11/deactivate"), 409)
        refusalV2(await settings.ask("PATCH", "/users/11", { json: { role: "member" } }), 409)
      })
    })

    test("account: its name is in the next payload; api_access is to read", async () => {
      expect(await settings.act("PATCH", "/account", { name: "Renamed" })).toEqual({
        id: 1,
        name: "Renamed",
        api_access: true
      })
      await world.addToFolder("f1", uuid(1))
      await world.advance({ by: 0 })
      const [request] = (await world.sink("crm")).requests
      expect(JSON.parse(request?.body ?? "")).toMatchObject({ account: { id: "1", name: "Renamed" } })
      await settings.ask("PATCH", "/account", { json: { name: "Renamed", api_access: false } })
      expect(await status(ada)).toBe(200)
    })

    describe("recordings (S2)", () => {
      const video = Buffer.from("not a video, but bytes \u0000\u0001")

      test("made, and its file in one PUT: then it can be downloaded, byte for byte", async () => {
        const made = await settings.make<Recording>("/recordings", { title: "Uploaded", duration: 7 })
        const download = `/api/v2/recordings/${made.uuid}/download`
        refusalV2(await world.fetch(download, { token: ada }), 409)
        const headers = { "content-type": "video/webm" }
        bodyOf(await settings.ask("PUT", `/recordings/${made.uuid}/video`, { headers, body: video }))
        const answer = await world.fetch(download, { token: ada })
        expect([answer.status, answer.header("content-type")], String(answer)).toEqual([200, "video/webm"])
        expect(answer.body.equals(video)).toBe(true)
        expect(bodyOf<Recording>(await world.fetch(`/api/v2/recordings/${made.uuid}`, { token: ada }))).toMatchObject({
          title: "Uploaded",
          metadata: { duration: 7, created_at: start }
        })
      })

      test("W13: put into a folder it fires, moved it fires again, put where it is it does not", async () => {
        const put = (folder: string) => settings.act("PUT", `/recordings/${uuid(1)}/folder`, { folder_id: folder })
        for (const folder of ["f1", "f1", "f2", "f1"]) await put(folder)
        expect(await world.deliveries()).toHaveLength(2)
        expect(await settings.get(`/recordings/${uuid(1)}`)).toMatchObject({ folder_id: "f1" })
        await settings.remove(`/recordings/${uuid(1)}/folder`)
        expect(await settings.get(`/recordings/${uuid(1)}`)).toMatchObject({ folder_id: null })
        expect(await world.deliveries()).toHaveLength(2)
      })

      test("deleted, it is 404 everywhere; webhooks on their way are delivered", async () => {
        await world.addToFolder("f1", uuid(1))
        await settings.remove(`/recordings/${uuid(1)}`)
        for (const path of ["", "/download", "/transcript"]) {
          refusalV2(await world.fetch(`/api/v2/recordings/${uuid(1)}${path}`, { token: ada }), 404)
        }
        expect((await world.fetch(`/r/${uuid(1)}`)).status).toBe(404)
        expect((await world.advance({ by: 0 })).fired).toMatchObject([{ outcome: "success" }])
      })

      test("R14: an edited transcript comes first; an empty edit takes it back", async () => {
        const path = `/recordings/${uuid(1)}/transcript`
        const texts = async () =>
          bodyOf<Transcript>(await world.fetch(`/api/v2${path}`, { token: ada })).segments.map(({ text }) => text)
        await settings.act("PUT", path, { segments: [{ start_seconds: 0, end_seconds: 4, text: "Edited" }] })
        expect(await texts()).toEqual(["Edited"])
        await settings.act("PUT", path, { segments: [] })
        expect(await texts()).toEqual(["Hello"])
      })

      test("R14: an imported transcript is what was recognized: behind an edited one, before a legacy one", async () => {
        const path = `/recordings/${uuid(1)}/transcript`
        const texts = async () =>
          bodyOf<Transcript>(await world.fetch(`/api/v2${path}`, { token: ada })).segments.map(({ text }) => text)
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
        expect((await world.fetch(`/r/${uuid(1)}`)).text).toContain("Imported again")
        expect(refusalV2(await bring("text/vtt", `WEBVTT\n\n${cue.replace("-->", "->")}`), 422)).toMatch(
          /Line 3, column 1/
        )
        refusalV2(await bring("text/plain", "Imported"), 415)
      })

      test("R15: asked for, a transcript is processing; while it is, 409", async () => {
        const path = `/recordings/${uuid(2)}/transcript`
        const shown = async () => bodyOf<Transcript>(await world.fetch(`/api/v2${path}`, { token: ada })).status
        expect(await shown()).toBe("unavailable")
        await settings.act("POST", `${path}/request`)
        expect(await shown()).toBe("processing")
        refusalV2(await settings.ask("POST", `${path}/request`), 409)
      })
    })
  })
