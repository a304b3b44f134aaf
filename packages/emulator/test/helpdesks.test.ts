import { platformOfProvider, type TemplateValues, templateVariables } from "@tapedeck/domain"
import { helpdeskPresets, presetProblems, presetSettings } from "@tapedeck/domain/internal/presets"
import { helpdeskKinds } from "@tapedeck/domain/internal/recordings"
import { parseTemplate, renderTemplate } from "@tapedeck/domain/template"
import type { HelpdeskKind } from "@tapedeck/fixtures"
import { Result } from "effect"
import { describe, expect, test } from "vitest"
import { startEmulator } from "../src/index.ts"
import { helpdeskAnswer, notesOf } from "../src/sinks/helpdesks/index.ts"
import { textOfHtml } from "../src/sinks/helpdesks/shownText.ts"

const html = "<p><b>Checkout fails</b> &amp; more</p><p>0:42<br>TypeError: x is null</p>"
const shown = "Checkout fails & more\n0:42\nTypeError: x is null"

const adf = (...content: ReadonlyArray<object>) => ({ type: "doc", version: 1, content })
const paragraph = (...texts: ReadonlyArray<string>) => ({
  type: "paragraph",
  content: texts.map((text) => ({ type: "text", text }))
})

const hubspotNote = (associationTypeId: number) => ({
  properties: { hs_timestamp: "2026-01-01T09:00:00.000Z", hs_note_body: html },
  associations: [{ to: { id: "99" }, types: [{ associationCategory: "HUBSPOT_DEFINED", associationTypeId }] }]
})

interface Case {
  readonly method: string
  readonly path: string
  readonly authorization: string
  /** A body that makes a private note, and the note's ticket and text. */
  readonly body: object
  readonly ticket: string
  readonly text: string
  readonly status: number
  /** A body that the API refuses, with the status and a part of its error. */
  readonly refused: object
  readonly error: readonly [status: number, part: string]
}

const basic = "Basic YWRhOnNlY3JldA=="
const bearer = "Bearer secret"

const cases: Readonly<Record<HelpdeskKind, Case>> = {
  zendesk: {
    method: "PUT",
    path: "/api/v2/tickets/4711.json",
    authorization: basic,
    body: { ticket: { comment: { html_body: html, public: false }, unknown: 1 } },
    ticket: "4711",
    text: shown,
    status: 200,
    refused: { ticket: { comment: { html_body: " <p></p>", public: false } } },
    error: [422, "RecordInvalid"]
  },
  intercom: {
    method: "POST",
    path: "/conversations/12/reply",
    authorization: bearer,
    body: { message_type: "note", type: "admin", admin_id: "5", body: html },
    ticket: "12",
    text: shown,
    status: 200,
    refused: { message_type: "note", type: "admin", body: html },
    error: [400, "admin_id is required"]
  },
  freshdesk: {
    method: "POST",
    path: "/api/v2/tickets/7/notes",
    authorization: basic,
    body: { body: html },
    ticket: "7",
    text: shown,
    status: 201,
    refused: { body: html, privat: true },
    error: [400, "invalid_field"]
  },
  freshservice: {
    method: "POST",
    path: "/api/v2/tickets/7/notes",
    authorization: basic,
    body: { body: html, private: true },
    ticket: "7",
    text: shown,
    status: 201,
    refused: { private: true },
    error: [400, "missing_field"]
  },
  freshchat: {
    method: "POST",
    path: "/v2/conversations/3b1c-4/messages",
    authorization: bearer,
    body: {
      message_parts: [{ text: { content: "a < b\n\nc" } }],
      message_type: "private",
      actor_type: "agent",
      actor_id: "9"
    },
    ticket: "3b1c-4",
    text: "a < b\nc",
    status: 201,
    refused: { message_parts: [], message_type: "private", actor_type: "agent", actor_id: "9" },
    error: [400, "must have at least one part"]
  },
  helpscout: {
    method: "POST",
    path: "/v2/conversations/123/notes",
    authorization: bearer,
    body: { text: html },
    ticket: "123",
    text: shown,
    status: 201,
    refused: { text: "" },
    error: [400, "may not be empty"]
  },
  hubspot: {
    method: "POST",
    path: "/crm/v3/objects/notes",
    authorization: bearer,
    body: hubspotNote(228),
    ticket: "99",
    text: shown,
    status: 201,
    refused: hubspotNote(202),
    error: [400, "none is a ticket"]
  },
  jira: {
    method: "POST",
    path: "/rest/api/3/issue/SHOP-7/comment",
    authorization: basic,
    body: {
      body: adf(paragraph("Checkout ", "fails"), paragraph("0:42")),
      properties: [{ key: "sd.public.comment", value: { internal: true } }]
    },
    ticket: "SHOP-7",
    text: "Checkout fails\n0:42",
    status: 201,
    refused: { body: adf(paragraph("")) },
    error: [400, "body.content[0].content[0] has no text"]
  }
}

describe.each(Object.entries(cases))("a sink that imitates %s", (name, one) => {
  const kind = name as HelpdeskKind
  const send = (changes: Partial<Record<"method" | "path" | "authorization" | "type" | "body", string>> = {}) => {
    const headers = {
      "content-type": changes.type ?? "application/json",
      authorization: changes.authorization ?? one.authorization
    }
    const request = {
      method: changes.method ?? one.method,
      path: `/desk${changes.path ?? one.path}`,
      headers: Object.entries(headers),
      body: changes.body ?? JSON.stringify(one.body)
    }
    const outcome = helpdeskAnswer(kind, 200, request, 1)
    const notes = notesOf(kind, [{ ...request, at: 0 as never, outcome }])
    return { outcome: outcome as { readonly status: number; readonly body?: string }, notes }
  }

  test("keeps a private note as the helpdesk's agents see it", () => {
    const { notes, outcome } = send()
    expect(outcome.status).toBe(one.status)
    expect(notes).toEqual([{ ticket: one.ticket, text: one.text, private: true }])
  })

  test("refuses a body that the API refuses, with the documented error", () => {
    const { notes, outcome } = send({ body: JSON.stringify(one.refused) })
    expect([outcome.status, outcome.body]).toEqual([one.error[0], expect.stringContaining(one.error[1])])
    expect(notes).toEqual([])
  })

  test("refuses a request without credentials, to another path, or without JSON", () => {
    expect(send({ authorization: "" }).outcome.status).toBe(401)
    expect(send({ authorization: "Digest a" }).outcome.status).toBe(401)
    expect(send({ path: `${one.path}/more` }).outcome.status).toBe(404)
    expect(send({ method: "GET" }).outcome.status).toBe(404)
    for (const refused of [send({ body: "{" }), send({ type: "text/plain" }), send({ body: "[".repeat(200_000) })]) {
      expect([400, 422]).toContain(refused.outcome.status)
      expect(refused.notes).toEqual([])
    }
  })
})

test("HTML is shown as its text, and is read in a time that its length limits", () => {
  expect(textOfHtml("<ul><li>one</li><li>two&nbsp;&#x1F600;</li></ul><script>x</script>end")).toBe(
    "one\ntwo\u00a0😀\nend"
  )
  expect(textOfHtml("a < b")).toBe("a < b")
  for (const hostile of [
    "<".repeat(500_000),
    "<script></script>".repeat(30_000),
    "&#".repeat(250_000),
    "<p>".repeat(150_000)
  ]) {
    expect(textOfHtml(hostile).length).toBeLessThanOrEqual(hostile.length)
  }
})

test("a world's helpdesk answers where the script has a success, and keeps its notes in snapshots and forks", async () => {
  const recording = "7d0f3c1e-5a2b-4c3d-8e9f-0a1b2c3d4e5f"
  const emulator = await startEmulator({
    fixtures: {
      recordings: [{ uuid: recording, title: "Checkout fails" }],
      folders: [{ id: "vip", name: "VIP" }],
      sinks: [{ id: "desk", kind: "freshdesk", respond: [500, 200] }],
      automations: [
        {
          folder: "vip",
          url: "sink:desk/api/v2/tickets/4711/notes",
          headers: { Authorization: basic },
          payload: '{"body": "<p>{{recording.title}}</p>"}'
        },
        { folder: "vip", url: "sink:desk/api/v2/tickets/4711/notes", payload: '{"body": "<p>{{recording.title}}</p>"}' }
      ]
    }
  })
  await emulator.addToFolder("vip", recording)
  await emulator.clock.advance({ by: "PT1M" })
  const sink = await emulator.sinks.get("desk")
  expect(sink).toMatchObject({ kind: "freshdesk", notes: [{ ticket: "4711", text: "Checkout fails", private: true }] })
  expect(sink.requests.map(({ outcome }) => (typeof outcome === "object" ? outcome.status : outcome)).sort()).toEqual([
    201, 401, 401, 500
  ])
  const snapshot = await emulator.snapshot()
  await emulator.reset()
  expect((await emulator.sinks.get("desk")).notes).toEqual([])
  await emulator.restore(snapshot)
  expect(await emulator.sinks.get("desk")).toEqual(sink)
  const chat = await emulator.sinks.create({ id: "chat", kind: "freshchat" })
  expect(chat).toMatchObject({ kind: "freshchat", respond: [200] })
  await emulator.close()
})

describe.each(helpdeskPresets)("the preset of $platform", (preset) => {
  const kind = helpdeskKinds.find((name) => platformOfProvider(name) === preset.platform)!
  const { path: example, ticket } = cases[kind]
  const values = {
    address: "https://acme.example.com/",
    user: "ada@acme.test",
    admin: "5",
    agent: 'a"b',
    secret: "tökén"
  }
  const missing = Object.fromEntries(templateVariables.map((name) => [name, null])) as unknown as TemplateValues

  /** The note that the preset writes for a recording with these values. */
  const noteOf = (recording: Partial<TemplateValues>) => {
    const { headers, method, payload, url } = presetSettings(preset, values)
    const body = renderTemplate(Result.getOrThrow(parseTemplate(payload, templateVariables)), {
      ...missing,
      timestamp: "2026-01-01T09:00:00.000Z",
      "recording.ticket_id": ticket,
      "recording.url": "https://rec.acme.test/r/7d0f",
      ...recording
    })
    const { pathname } = new URL(url.replace("{{recording.ticket_id}}", ticket))
    expect(pathname).toBe(example)
    const request = {
      method,
      path: `/desk${pathname}`,
      headers: [...Object.entries(headers), ["Content-Type", "application/json"] as const],
      body: body ?? ""
    }
    const outcome = helpdeskAnswer(kind, 200, request, 1)
    return { outcome, notes: notesOf(kind, [{ ...request, at: 0 as never, outcome }]) }
  }

  test("writes a private note that the helpdesk accepts, with each value as its text", () => {
    const { notes, outcome } = noteOf({
      "recording.title": "<b>\"Pay\" & 'go'</b>\\",
      "recording.duration": 42,
      "recording.first_error": "TypeError: <x> is null",
      "recording.transcript_start": "I click. Nothing happens."
    })
    expect(notes, JSON.stringify(outcome)).toEqual([{ ticket, private: true, text: expect.any(String) }])
    for (const text of ["<b>\"Pay\" & 'go'</b>\\", "(42 s)", "TypeError: <x> is null", "I click. Nothing happens."]) {
      expect(notes[0]?.text).toContain(text)
    }
  })

  test("writes a note that the helpdesk accepts of a recording without title, errors and transcript", () => {
    const { notes, outcome } = noteOf({})
    expect(notes, JSON.stringify(outcome)).toHaveLength(1)
  })

  test("names each value that is missing or that does not fit", () => {
    expect(presetProblems(preset, values)).toEqual({})
    expect(Object.keys(presetProblems(preset, {}))).toEqual(preset.fields.map(({ name }) => name))
    for (const wrong of ["acme", "http://acme.example.com", "https://acme.example.com/agent", "https://a b"]) {
      expect(presetProblems(preset, { ...values, address: wrong })).toEqual({ address: expect.any(String) })
    }
    for (const wrong of ["a\r\nb", "{{recording.title}}", "x".repeat(1_001)]) {
      expect(presetProblems(preset, { ...values, secret: wrong })).toEqual({ secret: expect.any(String) })
    }
    expect(presetProblems(preset, { ...values, secret: "x".repeat(1_000) })).toEqual({})
  })
})

test("eight automations write each recording into its helpdesk once, after outages, and skip the others", async () => {
  const kinds = Object.keys(cases) as ReadonlyArray<HelpdeskKind>
  const uuidOf = (index: number) => `7d0f3c1e-5a2b-4c3d-8e9f-0a1b2c3d4e5${index}`
  const values = { address: "https://acme.example.com", user: "ada@acme.test", admin: "5", agent: "9", secret: "token" }
  const idFields = { intercom: "conversation_id", freshchat: "conversation_id", helpscout: "conversation_id" } as const
  const fieldOf = (kind: HelpdeskKind): string =>
    kind === "hubspot"
      ? "object_id"
      : kind === "jira"
        ? "issue_id"
        : ((idFields as Record<string, string>)[kind] ?? "ticket_id")
  const emulator = await startEmulator({
    fixtures: {
      folders: [{ id: "support", name: "Support" }],
      recordings: kinds.map((kind, index) => ({
        uuid: uuidOf(index),
        title: `Recording for ${kind}`,
        helpdesk: { platform: platformOfProvider(kind), [fieldOf(kind)]: cases[kind].ticket }
      })),
      sinks: kinds.map((kind) => ({ id: kind, kind, respond: [503, "timeout", { status: 429 }, 200] })),
      automations: kinds.map((kind) => {
        const platform = platformOfProvider(kind)
        const { headers, method, payload, url } = presetSettings(
          helpdeskPresets.find((preset) => preset.platform === platform)!,
          values
        )
        return {
          id: `to-${kind}`,
          folder: "support",
          url: url.replace(values.address, `sink:${kind}`),
          method,
          headers,
          payload,
          only: { platforms: [platform], has_ticket: true }
        }
      })
    }
  })
  for (const [index] of kinds.entries()) await emulator.addToFolder("support", uuidOf(index))
  await emulator.clock.advance({ until: "idle" })
  for (const [index, kind] of kinds.entries()) {
    const { notes } = await emulator.sinks.get(kind)
    expect(notes, kind).toEqual([
      { ticket: cases[kind].ticket, private: true, text: expect.stringContaining(`Recording for ${kind}`) }
    ])
    const deliveries = await emulator.deliveries({ automation: `to-${kind}` })
    expect(deliveries.filter(({ state }) => state === "delivered").map(({ recording }) => recording)).toEqual([
      uuidOf(index)
    ])
    expect(deliveries.filter(({ state }) => state === "skipped")).toHaveLength(kinds.length - 1)
  }
  await emulator.close()
})
