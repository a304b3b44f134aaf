import { defaultVariables, describeVariable, type TemplateVariable } from "@tapedeck/domain"
import { describe, expect, test } from "vitest"
import { ada, uuid } from "../../support/acme.ts"
import { type Emulator, refusalOf } from "../../support/emulator.ts"
import { hooked, recording, start } from "../../support/hooks.ts"
import { blackbox, bodyOf, type StartDocument } from "../../support/target.ts"
import { emulatorAlone } from "../targets.ts"

/** What a folder automation sends: the default payload, and templates of one's own (W6, W7). */

const rich = {
  ...recording,
  title: 'He said "hi" \\ \n\t{{folder.name}} ☕ </script>',
  customer: { email: "kim@customer.test" },
  browser: "Firefox 140",
  os: "Linux",
  console_errors: ["Error: one", 'two "quoted"'],
  network_errors: [{ url: "https://x.test", status: 502 }],
  created_at: "2025-12-01T09:00:00.000Z"
}

const areStrings = (name: TemplateVariable) => describeVariable(name).type === "string"

/** The variables of the default payload (W7). */
const strings = defaultVariables.filter(areStrings)
const others = defaultVariables.filter((name) => !areStrings(name))

const valueAt = (payload: unknown, path: string): unknown =>
  path.split(".").reduce((value, key) => (value as Record<string, unknown>)[key], payload)

export const targets = emulatorAlone

export const suite = (emulator: Emulator): void =>
  blackbox(emulator, "Folder automation payloads", () => {
    /** What an automation sends about a recording: the body as text. */
    const sent = async (given: StartDocument, payload: string | null = null, config: Record<string, unknown> = {}) => {
      const world = await emulator.start(hooked([200], { payload }, { recordings: [given] }), { config })
      await world.addToFolder("f1", uuid(1))
      await world.advance({ by: 0 })
      const [request] = (await world.sink("crm")).requests
      expect(request).toBeDefined()
      return { world, text: request?.body ?? "", body: JSON.parse(request?.body ?? "null") as Record<string, never> }
    }

    describe("Default payload shape", () => {
      test("has every path with the recording's values", async () => {
        const { body, world } = await sent(rich)
        const url = `${world.publicUrl}/r/${uuid(1)}`
        expect(body).toEqual({
          event: "recording.added_to_folder",
          timestamp: start,
          recording: {
            id: uuid(1),
            title: rich.title,
            url,
            video_url: expect.stringMatching(`^${url}/.`),
            thumbnail_url: expect.stringMatching(`^${url}/.`),
            customer_email: "kim@customer.test",
            duration: 42,
            browser: "Firefox 140",
            os: "Linux",
            console_errors: rich.console_errors,
            network_errors: rich.network_errors,
            created_at: "2025-12-01T09:00:00.000Z"
          },
          folder: { id: "f1", name: "VIP" },
          account: { id: "1", name: "Acme" }
        })
      })

      test("W7: has every key: a missing string is empty, a missing duration null", async () => {
        const { body } = await sent({ uuid: uuid(1), created_at: recording.created_at })
        expect(body.recording).toEqual({
          id: uuid(1),
          title: "",
          url: expect.any(String),
          video_url: expect.any(String),
          thumbnail_url: expect.any(String),
          customer_email: "",
          duration: null,
          browser: "",
          os: "",
          console_errors: [],
          network_errors: [],
          created_at: "2025-12-01T09:00:00.000Z"
        })
      })

      test("W7: has the error lines of console_logs as console_errors, unless those are given", async () => {
        const console_logs = "[info] starting\n[error] Boom at line 3\n[log] done"
        const derived = await sent({ uuid: uuid(1), console_logs })
        expect(valueAt(derived.body, "recording.console_errors")).toEqual([expect.stringContaining("Boom at line 3")])
        const given = await sent({ uuid: uuid(1), console_logs, console_errors: ["mine"] })
        expect(valueAt(given.body, "recording.console_errors")).toEqual(["mine"])
      })

      test("W12: has links below public_url, which are served below the world's address", async () => {
        const video = { original: { base64: "AAAA", content_type: "video/mp4" } }
        const { body, world } = await sent({ ...recording, video }, null, { public_url: "https://rec.acme.test/tape" })
        for (const path of ["url", "video_url", "thumbnail_url"]) {
          const link = String(valueAt(body, `recording.${path}`))
          expect(link.startsWith(`https://rec.acme.test/tape/r/${uuid(1)}`), link).toBe(true)
          const answer = await world.fetch(link.slice("https://rec.acme.test/tape".length))
          expect(answer.status, String(answer)).toBe(200)
        }
      })

      test("W11: has the values of the time of the event, not of the attempt", async () => {
        const world = await emulator.start(hooked([200]))
        await world.advance({ by: "PT1H" })
        await world.addToFolder("f1", uuid(1))
        const patch = { method: "PATCH", token: ada, json: { recording: { title: "Later" } } }
        bodyOf(await world.fetch(`/api/v2/recordings/${uuid(1)}`, patch))
        await world.advance({ by: "PT1H" })
        const [request] = (await world.sink("crm")).requests
        expect(JSON.parse(request?.body ?? "")).toMatchObject({
          timestamp: "2026-01-01T01:00:00.000Z",
          recording: { title: "Checkout fails" }
        })
      })
    })

    describe("W6: templates", () => {
      test("W7: replace every variable, inside a JSON string and outside one", async () => {
        const usual = (await sent(rich)).body
        const all = [...strings, ...others]
        const outside = `{${all.map((name) => `"${name}": {{${name}}}`).join(", ")}}`
        const { body } = await sent(rich, outside)
        expect(body).toEqual(Object.fromEntries(all.map((name) => [name, valueAt(usual, name)])))
        const inside = `{${strings.map((name) => `"${name}": "<{{${name}}}>"`).join(", ")}}`
        expect((await sent(rich, inside)).body).toEqual(
          Object.fromEntries(strings.map((name) => [name, `<${valueAt(usual, name)}>`]))
        )
      })

      test("have the ticket, the texts, the owner and the first error of a recording, which the default payload has not", async () => {
        const helpdesk = { platform: "intercom", conversation_id: "215", customer_id: "77" }
        const names = [
          "summary",
          "description",
          "type",
          "ticket_id",
          "active_ticket_id",
          "conversation_id",
          "customer_id",
          "platform",
          "source",
          "user_name",
          "transcript_text",
          "first_error",
          "embed_url"
        ]
        const template = JSON.stringify(Object.fromEntries(names.map((name) => [name, `{{recording.${name}}}`])))
        const segments = [{ start_seconds: 0, end_seconds: 4, text: "It fails." }]
        const transcript = { language: "en", segments }
        const more = { transcript, console_errors: ["Error: one"], user: "ada@acme.test" }
        const given = { ...recording, summary: "No reply", recording_type: "Received", helpdesk, ...more }
        const { body, world } = await sent(given, template)
        expect(body).toEqual({
          summary: "No reply",
          description: "",
          type: "Received",
          ticket_id: "215",
          active_ticket_id: "",
          conversation_id: "215",
          customer_id: "77",
          platform: "intercom",
          source: "Intercom conversation",
          user_name: "Ada",
          transcript_text: "It fails.",
          first_error: "Error: one",
          embed_url: `${world.publicUrl}/r/${uuid(1)}/embed`
        })
      })

      test("write a number inside a string as its text, and allow several values in one string", async () => {
        const { body } = await sent(rich, '{"text": "{{recording.duration}} s in {{folder.name}}/{{folder.name}}"}')
        expect(body).toEqual({ text: "42 s in VIP/VIP" })
      })

      test("write an array inside a string as text, so that the payload is JSON", async () => {
        const { body } = await sent(rich, '{"text": "{{recording.console_errors}}"}')
        expect(String(body.text)).toContain("Error: one")
      })

      test("write a missing value as the empty string inside a string, and null outside", async () => {
        const { body } = await sent(
          { uuid: uuid(1) },
          '{"in": "<{{recording.title}}{{recording.duration}}>", "out": [{{recording.title}}, {{recording.duration}}]}'
        )
        expect(body).toEqual({ in: "<>", out: [null, null] })
      })

      test("escape every value, and never interpret it as a template", async () => {
        const title = '", "admin": true, "x": "{{account.name}}'
        const { body } = await sent({ ...rich, title }, '{"a": "{{recording.title}}", "b": {{recording.title}}}')
        expect(body).toEqual({ a: title, b: title })
      })

      test("send the text outside the placeholders unchanged", async () => {
        const payload = '{ "a" :1,\n  "b": [ "{{folder.name}}" ] , "c": "\\u2615 { } }} " }'
        expect((await sent(rich, payload)).text).toBe(payload.replace("{{folder.name}}", "VIP"))
      })

      test("may have no placeholders, and need not be objects", async () => {
        expect((await sent(rich, '{"ping": true}')).body).toEqual({ ping: true })
        expect((await sent(rich, '["{{folder.name}}"]')).body).toEqual(["VIP"])
        expect((await sent(rich, "{{recording.title}}")).body).toBe(rich.title)
      })

      test.each([
        ["an unknown name", '{\n  "a": "{{recording.colour}}"\n}', 2],
        ["an unknown name outside a string", '{"a": {{title}}}', 1],
        ["an object", '{\n\n "a": {{recording}}}', 3],
        ["JSON that does not end", '{"a": 1', 1],
        ["JSON with a comma too many", '{"a": 1,\n}', 2],
        ["a placeholder as a key without quotes", "{{{folder.name}}: 1}", 1],
        ["two values side by side", '{\n"a": {{folder.name}}{{folder.id}}}', 2],
        ["an unclosed placeholder", '{"a": "{{folder.name"}', 1],
        ["an empty placeholder", '{"a": "{{}}"}', 1],
        ["an empty text", "", 1],
        ["text that is no JSON", "title={{recording.title}}", 1]
      ])("are refused when saved, with line and column: %s", async (_, payload, line) => {
        const answer = await emulator.create(hooked([200], { payload }))
        const [error] = refusalOf(answer).errors
        expect(error?.path, String(answer)).toBe("automations[0].payload")
        expect(error?.message, String(answer)).toMatch(new RegExp(`\\bline ${line}\\b.*\\bcolumn \\d+`, "i"))
      })

      test("are refused with the placeholder's column", async () => {
        const answer = await emulator.create(hooked([200], { payload: '{"a": "b",\n   "c": "{{nope}}"}' }))
        expect(refusalOf(answer).errors[0]?.message).toMatch(/line 2.*column 10\b/i)
      })
    })
  })
