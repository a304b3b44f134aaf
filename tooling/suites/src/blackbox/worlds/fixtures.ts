import { describe, expect, test } from "vitest"
import { accounts, acme, ada, users, uuid } from "../../support/acme.ts"
import type { MadeDocument } from "../../support/emulator.ts"
import { type Emulator, pathsOf, type World } from "../../support/emulator.ts"
import { hooked, start } from "../../support/hooks.ts"
import { call } from "../../support/http.ts"
import { emulatorMain, runProcess, startProcess, temporaryFolder } from "../../support/process.ts"
import type { FlatRecording, Recording, UserPage, WorldObject } from "../../support/shapes.ts"
import { blackbox, bodyOf } from "../../support/target.ts"
import { emulatorAlone } from "../targets.ts"

/** Start documents: what they put in place, what they leave out, and how more is added later. */

const everything = {
  accounts,
  users: [
    ...users,
    {
      id: 99,
      email: "all@acme.test",
      name: "All",
      role: "member",
      token: "!visible~ASCII#",
      account: 1,
      active: true,
      has_profile_picture: true,
      notifications: { notify_first_view: "Disabled" }
    }
  ],
  recordings: [
    {
      uuid: uuid(1),
      id: 77,
      account: 1,
      user: "all@acme.test",
      folder: "f1",
      title: "T",
      summary: "S",
      description: "D",
      recording_type: "Live",
      recording_source: "Zendesk operator",
      helpdesk: {
        platform: "zendesk",
        ticket_id: "1",
        active_ticket_id: "2",
        conversation_id: "3",
        user_id: "4",
        operator_id: "5",
        customer_id: "6",
        issue_id: "7",
        object_id: "8"
      },
      created_at: "2025-01-01T00:00:00.000Z",
      updated_at: "2025-01-02T00:00:00.000Z",
      duration: 5,
      impressions_count: 3,
      v1_platform: "MacIntel",
      browser: "B",
      os: "O",
      console_logs: "logs",
      console_errors: ["e"],
      network_errors: ["n"],
      technical_details: { vendor: "V", ip_address: "I", timezone: "Z", network_type: "N", isp: "P" },
      customer: { email: "c@customer.test" },
      room_insights: { started_at: "2025-01-01T00:00:00.000Z", ended_at: null, participants_insights: [] },
      video: {
        original: { base64: "AAAA", content_type: "video/webm" },
        processed: { size: 10, content_type: "video/mp4" },
        edited: null
      },
      transcript: {
        language: "en",
        speaker_map: { "0": "Kim" },
        edited: [{ start_seconds: 0, end_seconds: 1, text: "e", sentences: [{ any: "thing" }] }],
        processed: [{ start_seconds: 0, end_seconds: null, text: "p" }],
        legacy: "l",
        script: [{ at: "PT0S", status: "ready" }]
      }
    }
  ],
  folders: [{ id: "f1", name: "VIP", account: 1 }],
  sinks: [{ id: "crm", respond: [500, "timeout", { status: 200, headers: { a: "b" }, body: "x", after: "PT1S" }] }],
  automations: [
    {
      id: "a1",
      folder: "f1",
      url: "sink:crm",
      secret: "k",
      method: "PUT",
      headers: { "x-a": "b" },
      payload: "{}",
      enabled: true
    }
  ],
  audit_destinations: [
    {
      id: "d1",
      account: 1,
      name: "SIEM",
      url: "sink:crm",
      description: "Ours",
      secret: "s",
      headers: { "x-a": "b" },
      timeout_seconds: 300,
      max_retries: 10,
      filters: { categories: ["security"], event_types: ["user.login"], severities: ["high"] },
      signature: "base64",
      enabled: false
    }
  ],
  config: { page_size: 50 }
}

export const targets = emulatorAlone

export const suite = (emulator: Emulator): void =>
  blackbox(emulator, "Start documents", () => {
    const one = async (world: World, n = 1) =>
      bodyOf<Recording>(await world.fetch(`/api/v2/recordings/${uuid(n)}`, { token: ada }))
    const add = (world: World, document: unknown) => world.post("/fixtures", document)

    describe("the loaded records", () => {
      test("accept every key of the contract", async () => {
        const world = await emulator.start(everything)
        expect(await one(world)).toMatchObject({
          title: "T",
          metadata: {
            created_at: "2025-01-01T00:00:00.000Z",
            updated_at: "2025-01-02T00:00:00.000Z",
            recording_source: "Zendesk operator",
            impressions_count: 3
          },
          user: { email: "all@acme.test", name: "All" },
          room_insights: { started_at: "2025-01-01T00:00:00.000Z", ended_at: null, duration: null }
        })
        const flat = await world.fetch(`/api/v1/recordings/${uuid(1)}`, { token: "!visible~ASCII#" })
        expect(bodyOf<FlatRecording>(flat)).toMatchObject({ id: 77, platform: "MacIntel" })
        expect(await world.sink("crm")).toMatchObject({ respond: everything.sinks[0]?.respond, requests: [] })
        expect(world.object.config).toMatchObject({ page_size: 50 })
      })

      test("fire no automation", async () => {
        const world = await emulator.start(everything)
        expect(await world.deliveries()).toEqual([])
        expect((await world.clock()).pending).toEqual([])
      })

      test("are returned as created, with ids, tokens and secrets", async () => {
        const { made, tokens } = await emulator.start({
          users: [{ email: "x@acme.test", name: "X" }],
          recordings: [{}],
          folders: [{ name: "VIP" }],
          sinks: [{ respond: [200] }],
          audit_destinations: [{ name: "SIEM", url: "https://siem.test/" }]
        })
        const [user, made1, folder, sink, destination] = [
          made.users?.[0],
          made.recordings?.[0],
          made.folders?.[0],
          made.sinks?.[0],
          made.audit_destinations?.[0]
        ]
        expect(user).toMatchObject({ email: "x@acme.test", name: "X", id: expect.any(Number), role: "member" })
        expect(user?.token).toBe(tokens["x@acme.test"])
        expect(user?.token).toMatch(/^tdk_[0-9A-Za-z]{46}$/)
        expect(made1?.uuid).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
        expect(Number.isInteger(made1?.id)).toBe(true)
        expect([typeof folder?.id, typeof sink?.id, typeof destination?.id]).toEqual(["string", "string", "string"])
        expect(destination?.secret ?? null, "a destination without `secret` has none").toBeNull()
      })

      test("can belong to `account`, which is short for a list of one", async () => {
        const world = await emulator.start({
          account: { name: "Solo", api_access: false },
          users: [{ email: "x@solo.test", name: "X", token: "x" }]
        })
        expect((await world.fetch("/api/v2/recordings", { token: "x" })).status).toBe(403)
      })

      test("get an account with API access if the document has none", async () => {
        const world = await emulator.start({ users: [{ email: "x@solo.test", name: "X", token: "x", role: "admin" }] })
        const page = bodyOf<UserPage>(await world.fetch("/api/v2/users", { token: "x" }))
        expect(page.users).toMatchObject([{ email: "x@solo.test", role: "admin" }])
      })

      test("belong to the first account unless they name one", async () => {
        const world = await emulator.start({
          accounts: [
            { id: 5, name: "First" },
            { id: 6, name: "Second" }
          ],
          users: [
            { email: "a@first.test", name: "A", token: "a", role: "admin" },
            { email: "b@second.test", name: "B", token: "b", role: "admin", account: 6 }
          ],
          recordings: [{ uuid: uuid(1) }]
        })
        expect((await world.fetch(`/api/v2/recordings/${uuid(1)}`, { token: "a" })).status).toBe(200)
        expect((await world.fetch(`/api/v2/recordings/${uuid(1)}`, { token: "b" })).status).toBe(404)
      })
    })

    describe("POST {c}/fixtures", () => {
      test("returns 201 and the created records, and may refer to the world's records", async () => {
        const world = await emulator.start(hooked([200]))
        const body = bodyOf<MadeDocument>(
          await add(world, {
            users: [{ email: "new@acme.test", name: "New" }],
            recordings: [{ uuid: uuid(9), user: "bob@acme.test", folder: "f2" }, { user: "new@acme.test" }],
            automations: [{ folder: "f2", url: "sink:crm" }]
          }),
          201
        )
        expect(body.recordings).toHaveLength(2)
        expect(body.automations?.[0]).toMatchObject({
          id: expect.any(String),
          secret: expect.stringMatching(/^whsec_/)
        })
        expect(await one(world, 9)).toMatchObject({ user: { name: "Bob" } })
        const token = String(body.users?.[0]?.token)
        expect((await world.fetch("/api/v2/recordings", { token })).status).toBe(200)
        expect(bodyOf<WorldObject>(await world.control("")).tokens).toMatchObject({ "new@acme.test": token })
        expect(await world.deliveries()).toEqual([])
        expect(await world.addToFolder("f2", uuid(1))).toHaveLength(1)
      })

      test("loads the whole document or nothing", async () => {
        const world = await emulator.start(hooked([200]))
        const answer = await add(world, {
          users: [{ email: "new@acme.test", name: "New", token: "new" }],
          recordings: [{ uuid: uuid(9) }, { uuid: uuid(10), user: "no@one.test" }],
          sinks: [{ id: "extra", respond: [200] }]
        })
        expect(pathsOf(answer)).toEqual(["recordings[1].user"])
        expect((await world.fetch(`/api/v2/recordings/${uuid(9)}`, { token: ada })).status).toBe(404)
        expect((await world.fetch("/api/v2/recordings", { token: "new" })).status).toBe(401)
        expect((await world.control("/sinks/extra")).status).toBe(404)
      })

      test.each([
        ["users[0].email", { users: [{ email: "bob@acme.test", name: "B" }] }],
        ["users[0].email", { users: [{ email: "BOB@ACME.TEST", name: "B" }] }],
        ["users[0].token", { users: [{ email: "n@acme.test", name: "N", token: ada }] }],
        ["recordings[0].uuid", { recordings: [{ uuid: uuid(1) }] }],
        ["folders[0].id", { folders: [{ id: "f1", name: "Again" }] }],
        ["automations[0].id", { automations: [{ id: "a1", folder: "f1", url: "sink:crm" }] }],
        ["sinks[0].id", { sinks: [{ id: "crm", respond: [200] }] }]
      ])("is 400 for an id that is in use in the world: %s", async (path, document) => {
        const world = await emulator.start(hooked([200]))
        expect(pathsOf(await add(world, document))).toEqual([path])
      })

      test("counts times from now", async () => {
        const world = await emulator.start(acme({}))
        await world.advance({ by: "PT1H" })
        bodyOf(await add(world, { recordings: [{ uuid: uuid(1) }] }), 201)
        expect((await one(world)).metadata.created_at >= start).toBe(true)
      })
    })

    describe("--fixtures FILE", () => {
      const ready = (args: ReadonlyArray<string>) =>
        startProcess<WorldObject>(emulatorMain, ["--port", "0", "--json", ...args])

      test("reads YAML, with `path` relative to the file, and --now and --seed apply", async () => {
        const folder = await temporaryFolder()
        await folder.write("clip.webm", "twelve bytes")
        const file = await folder.write(
          "start.yaml",
          [
            "account: { name: Acme, api_access: true }",
            "config: { page_size: 3 }",
            "users:",
            "  - { email: ada@acme.test, name: Ada, role: admin, token: secret-token }",
            "recordings:",
            `  - uuid: ${uuid(1)}`,
            "    title: Checkout fails   # a comment",
            '    helpdesk: { platform: zendesk, ticket_id: "4711" }',
            "    created_at: 2026-01-01T09:00:00.000Z",
            "    video: { original: { path: clip.webm, content_type: video/webm }, processed: null }",
            "folders: [ { id: f1, name: VIP } ]"
          ].join("\n")
        )
        const args = ["--now", "2026-02-03T04:05:06Z", "--seed", "9", "--fixtures", file]
        const started = await ready(args).finally(() => folder.remove())
        try {
          expect(started.ready).toMatchObject({
            world: "default",
            now: "2026-02-03T04:05:06.000Z",
            seed: 9,
            tokens: { "ada@acme.test": "secret-token" },
            config: { page_size: 3 }
          })
          const base = started.ready.base_url
          const path = `/api/v2/recordings/${uuid(1)}`
          const read = bodyOf<Recording>(await call(base, path, { token: "secret-token" }))
          expect(read).toMatchObject({ title: "Checkout fails", metadata: { created_at: "2026-01-01T09:00:00.000Z" } })
          const video = await call(base, `${path}/download`, { token: "secret-token" })
          expect([video.status, video.text, video.header("content-type")]).toEqual([200, "twelve bytes", "video/webm"])
        } finally {
          await started.stop()
        }
      })

      test("ends the command with the paths of the errors of an invalid document", async () => {
        const folder = await temporaryFolder()
        const document = { recordings: [{ user: "no@one.test" }], folders: [{ nmae: "VIP" }] }
        const file = await folder.write("bad.json", JSON.stringify(document))
        const ended = await runProcess(emulatorMain, ["--port", "0", "--json", "--fixtures", file])
        await folder.remove()
        expect(ended.code, ended.stderr).not.toBe(0)
        expect(ended.stdout, "no ready line").toBe("")
        for (const path of ["recordings[0].user", "folders[0].name", "folders[0].nmae"]) {
          expect(ended.stderr).toContain(path)
        }
      })

      test("reports the same paths for every way to load a document", async () => {
        const document = { recordings: [{ user: "no@one.test", titel: 1 }], users: [{ email: "x" }] }
        const ways = [await emulator.create(document), await add(await emulator.start({}), document)]
        const [first, second] = ways.map((answer) => pathsOf(answer).toSorted())
        expect(first).toEqual(second)
        expect(first).toEqual(["recordings[0].titel", "recordings[0].user", "users[0].email", "users[0].name"])
      })

      test("--allow-host accepts a Host", async () => {
        const started = await ready(["--allow-host", "emulator", "--allow-host", "tape.test"])
        try {
          const ask = (path: string, host: string) => call(started.ready.base_url, path, { headers: { host } })
          for (const host of ["emulator", "emulator:4010", "tape.test"]) {
            bodyOf(await ask("/_emulator", host))
            bodyOf(await ask("/api/v2/openapi.json", host))
          }
          bodyOf(await ask("/_emulator", "other.test"), 403)
          bodyOf(await ask("/api/v2/openapi.json", "other.test"), 403)
        } finally {
          await started.stop()
        }
      })
    })
  })
