import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import {
  type AddedToFolder,
  defaultTemplate,
  defaultVariables,
  type EventParts,
  type HelpdeskPlatform,
  type Json,
  neededParts,
  noEventParts,
  type Recording,
  templateValues,
  templateVariables
} from "../../src/index.ts"
import { noHelpdesk } from "../../src/internal/recordings.ts"
import { errorLines } from "../../src/template/consoleErrors.ts"
import { excerpt } from "../../src/template/excerpt.ts"
import { parseTemplate, renderTemplate } from "../../src/template/index.ts"
import { acme, aRecording, instant, vipFolder } from "../examples.ts"

const added = (
  known: Partial<Recording> = {},
  errors: Partial<AddedToFolder["errors"]> = {},
  parts: Partial<EventParts> = {}
): AddedToFolder => ({
  recording: aRecording(known),
  ...noEventParts,
  ...parts,
  errors: { ...noEventParts.errors, ...errors },
  folder: vipFolder,
  account: acme,
  links: { url: "https://t.test/r/1", videoUrl: "https://t.test/r/1/video", thumbnailUrl: "https://t.test/r/1/thumb" },
  vendor: "Tapedeck",
  at: instant("2026-01-01T10:00:00Z")
})

const complete = added(
  {
    title: "Checkout fails",
    customerEmail: "kim@shop.test",
    durationSeconds: 42,
    browser: "Firefox 140",
    os: "Windows 11"
  },
  { consoleErrors: [{ level: "error", message: "boom" }], networkErrors: ["GET /cart 500"] }
)

const defaultPayload = (event: AddedToFolder) =>
  JSON.parse(renderTemplate(defaultTemplate, templateValues(event))!) as { readonly recording: Json } & Json

describe("the default payload (W7)", () => {
  it("has the specified keys in the specified order", () => {
    expect(renderTemplate(defaultTemplate, templateValues(complete))).toBe(
      JSON.stringify({
        event: "recording.added_to_folder",
        timestamp: "2026-01-01T10:00:00.000Z",
        recording: {
          id: "7d0f3c1e-0000-4000-8000-000000000001",
          title: "Checkout fails",
          url: "https://t.test/r/1",
          video_url: "https://t.test/r/1/video",
          thumbnail_url: "https://t.test/r/1/thumb",
          customer_email: "kim@shop.test",
          duration: 42,
          browser: "Firefox 140",
          os: "Windows 11",
          console_errors: [{ level: "error", message: "boom" }],
          network_errors: ["GET /cart 500"],
          created_at: "2026-01-01T09:00:00.000Z"
        },
        folder: { id: "f1", name: "VIP" },
        account: { id: "7", name: "Acme" }
      })
    )
  })

  it("has every key if no value is known: a missing string is empty, a missing duration null", () => {
    expect(defaultPayload(added()).recording).toStrictEqual({
      id: "7d0f3c1e-0000-4000-8000-000000000001",
      title: "",
      url: "https://t.test/r/1",
      video_url: "https://t.test/r/1/video",
      thumbnail_url: "https://t.test/r/1/thumb",
      customer_email: "",
      duration: null,
      browser: "",
      os: "",
      console_errors: [],
      network_errors: [],
      created_at: "2026-01-01T09:00:00.000Z"
    })
  })
})

describe("the template variables (W7)", () => {
  const leaves = (value: Json, path: string): ReadonlyArray<readonly [string, Json]> =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.entries(value).flatMap(([key, inner]) => leaves(inner as Json, path === "" ? key : `${path}.${key}`))
      : [[path, value]]

  it("are first all leaves and arrays of the default payload, named by their paths", () => {
    const first = Object.entries(templateValues(complete)).slice(0, defaultVariables.length)
    expect(leaves(defaultPayload(complete), "")).toEqual(first)
    expect(first.map(([name]) => name)).toEqual(defaultVariables)
  })

  it("are then those that only a custom payload has", () => {
    const helpdesk = {
      ...noHelpdesk,
      platform: "zendesk",
      ticketId: "4711",
      activeTicketId: "4712",
      customerId: "9"
    } as const
    const values = templateValues(
      added(
        { summary: "No reply", description: "From a call", helpdesk, isLogShared: true, redactions: {} },
        { consoleErrors: ["boom"], networkErrors: [{ url: "/cart" }] },
        {
          owner: { email: "ada@acme.test", name: "Ada" },
          transcript: { language: "en", text: "It fails." }
        }
      )
    )
    expect(Object.entries(values).slice(defaultVariables.length)).toEqual([
      ["recording.summary", "No reply"],
      ["recording.description", "From a call"],
      ["recording.type", "Received"],
      ["recording.ticket_id", "4711"],
      ["recording.active_ticket_id", "4712"],
      ["recording.conversation_id", null],
      ["recording.issue_id", null],
      ["recording.object_id", null],
      ["recording.customer_id", "9"],
      ["recording.source", "Zendesk ticket"],
      ["recording.platform", "zendesk"],
      ["recording.user_email", "ada@acme.test"],
      ["recording.user_name", "Ada"],
      ["recording.transcript_text", "It fails."],
      ["recording.transcript_start", "It fails."],
      ["recording.transcript_language", "en"],
      ["recording.first_error", "boom"],
      ["recording.errors_count", 2],
      ["recording.log_url", "https://t.test/r/1/log"],
      ["recording.embed_url", "https://t.test/r/1/embed"]
    ])
  })

  it("have the id of a conversation, an issue or an object as the ticket's id, by the helpdesk", () => {
    const ids = { conversationId: "c", issueId: "i", objectId: "o" }
    const ticketIdOf = (platform: HelpdeskPlatform) =>
      templateValues(added({ helpdesk: { ...noHelpdesk, ...ids, platform } }))["recording.ticket_id"]
    expect((["intercom", "jira", "hubspot", "zendesk"] as const).map(ticketIdOf)).toEqual(["c", "i", "o", null])
  })

  it("can rebuild the default payload of a recording with all values", () => {
    const template = `{
      "event": {{event}}, "timestamp": "{{timestamp}}",
      "recording": {${defaultVariables
        .filter((name) => name.startsWith("recording."))
        .map((name) => `"${name.slice("recording.".length)}": {{${name}}}`)
        .join(", ")}},
      "folder": {"id": "{{folder.id}}", "name": {{folder.name}}},
      "account": {"id": "{{account.id}}", "name": "{{account.name}}"}
    }`
    const parsed = Result.getOrThrow(parseTemplate(template, templateVariables))
    expect(JSON.parse(renderTemplate(parsed, templateValues(complete))!)).toEqual(defaultPayload(complete))
  })

  it("are null if the value is missing, unlike in the default payload", () => {
    const missing = Object.entries(templateValues(added()))
      .filter(([, value]) => value === null)
      .map(([name]) => name)
    expect(missing).toEqual([
      "recording.title",
      "recording.customer_email",
      "recording.duration",
      "recording.browser",
      "recording.os",
      "recording.summary",
      "recording.description",
      "recording.ticket_id",
      "recording.active_ticket_id",
      "recording.conversation_id",
      "recording.issue_id",
      "recording.object_id",
      "recording.customer_id",
      "recording.user_email",
      "recording.user_name",
      "recording.transcript_text",
      "recording.transcript_start",
      "recording.transcript_language",
      "recording.first_error",
      "recording.log_url"
    ])
  })

  it("have the addresses of the log and the embedded player only if these pages show them", () => {
    const urlsOf = (known: Partial<Recording>) => {
      const values = templateValues(added(known))
      return [values["recording.log_url"], values["recording.embed_url"]]
    }
    expect(urlsOf({ redactions: {} })).toEqual([null, "https://t.test/r/1/embed"])
    expect(urlsOf({ isLogShared: true, sharing: "account" })).toEqual([null, null])
    expect(urlsOf({ isLogShared: true, redactions: {}, sharing: "off" })).toEqual(["https://t.test/r/1/log", null])
  })

  it("are read from the parts of the event that they need, and not at all if they are not asked for", () => {
    expect([...neededParts(["recording.title"])]).toEqual([])
    expect([...neededParts(["recording.first_error", "recording.user_name", "recording.transcript_text"])]).toEqual([
      "errors",
      "owner",
      "transcript"
    ])
    const values = templateValues(complete, new Set(["recording.title"]))
    expect([values["recording.title"], values["recording.browser"]]).toEqual(["Checkout fails", null])
  })
})

describe("the first error", () => {
  it.each<[string, ReadonlyArray<Json>, ReadonlyArray<Json>, Json]>([
    ["is the first console error", ["one", "two"], ["GET /cart"], "one"],
    ["is a network error without console errors", [], ["GET /cart"], "GET /cart"],
    ["is the message of an object", [{ level: "error", message: "boom" }], [], "boom"],
    ["is a request with its status", [], [{ method: "GET", url: "/cart", status: 503, error: null }], "GET /cart 503"],
    ["is a request with its error", [], [{ url: "/cart", status: 0, error: "timed out" }], "/cart timed out"],
    ["is the JSON text of any other item", [[1]], [], "[1]"]
  ])("%s", (_, consoleErrors, networkErrors, expected) => {
    expect(templateValues(added({}, { consoleErrors, networkErrors }))["recording.first_error"]).toBe(expected)
  })

  it("has at most 500 characters", () => {
    const first = templateValues(added({}, { consoleErrors: ["x".repeat(501)] }))["recording.first_error"]
    expect(first).toBe(`${"x".repeat(499)}…`)
  })
})

describe("an excerpt", () => {
  it.each([
    ["is the text if that has the maximum length", "It fails. Ok", 12, "It fails. Ok"],
    ["ends with a sentence", "It fails. Nothing", 14, "It fails. …"],
    ["ends with a sentence in quotes", 'He said "no!" and left', 16, 'He said "no!" …'],
    ["does not end within a number", "It costs 3.141", 13, "It costs…"],
    ["ends with a Japanese sentence", "動きません。もう一度押し", 11, "動きません。 …"],
    ["ends with a word if its second half has no sentence", "Oh. The button does nothing", 18, "Oh. The button…"],
    ["ends between characters if its second half has no space", "a bcdefghijk", 10, "a bcdefgh…"],
    ["keeps a surrogate pair whole", "ab😀😀😀", 6, "ab😀…"],
    ["keeps a letter and its accents whole", "abcde\u0301\u0302fg", 6, "abcd…"],
    ["keeps an emoji of several code points whole", "abcd👩‍👩‍👧 ef", 9, "abcd…"],
    ["cuts a character that is longer than itself between code points", `😀${"\u0301".repeat(20)}`, 4, "😀\u0301…"],
    ["has half of a pair that is half", "\ud83d\ud83d\ud83d\ud83d", 3, "\ud83d\ud83d…"]
  ])("%s", (_, text, maxLength, expected) => {
    expect(excerpt(text, maxLength)).toBe(expected)
    expect(excerpt(text, maxLength).length).toBeLessThanOrEqual(maxLength)
  })

  it("of a transcript has at most 4,000 characters", () => {
    const words = "Word ".repeat(2_000)
    const text = templateValues(added({}, {}, { transcript: { language: null, text: words } }))[
      "recording.transcript_text"
    ]
    expect(text).toBe(`${words.slice(0, 3_999)}…`)
  })
})

describe("the console errors (W7)", () => {
  it("are the given ones, even if empty, else the error lines of the console output", () => {
    const consoleLogs = "[error] one\n[info] two"
    expect(templateValues(added({ consoleLogs }))["recording.console_errors"]).toEqual(["[error] one"])
    expect(templateValues(added({ consoleLogs }, { consoleErrors: [] }))["recording.console_errors"]).toEqual([])
  })

  it.each([
    "[error] failed",
    "[ERROR] failed",
    "ERROR failed",
    "error: failed",
    "Error: failed",
    "console.error failed",
    "TypeError: x is not a function",
    "DOMException: aborted",
    "Uncaught TypeError: x is not a function",
    "uncaught (in promise) Error: no",
    "2026-01-01T10:00:00.123Z [error] failed",
    "[2026-01-01 10:00:00] ERROR failed",
    "10:00:00.123 error failed",
    "app.js:12 Uncaught ReferenceError: y is not defined",
    "10:00:00 https://shop.test/app.js:12:5 Error: no"
  ])("contain the line %j", (line) => {
    expect(errorLines(`[info] before\r\n  ${line}  \nafter`)).toEqual([line])
  })

  it.each([
    "",
    "[info] no error here",
    "errors: 0",
    "error.count = 0",
    "warning: TypeError: mentioned",
    "    at TypeError (app.js:1:1)",
    "log: [error] quoted"
  ])("do not contain the line %j", (line) => {
    expect(errorLines(line)).toEqual([])
  })

  it("are extracted in linear time from any output", () => {
    const long = ["x".repeat(200_000), "1:".repeat(100_000), "$".repeat(200_000), `${":1".repeat(100_000)} `].join("\n")
    expect(errorLines(long)).toEqual([])
  })
})
