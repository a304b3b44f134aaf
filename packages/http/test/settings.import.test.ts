import { describe, expect, it } from "vitest"
import { ids } from "./fixtures.ts"
import { makeSettings } from "./settingsWorld.ts"

const at = `PUT /recordings/${ids.bobs}/transcript/import`
const vtt = "WEBVTT\n\n00:01.250 --> 00:03.001\n<v Ann>Hello</v>\n"

const types = "text/vtt, application/x-subrip, application/srt, text/srt, application/json, text/plain"

const encoding =
  "must be UTF-8, or UTF-16 with a byte order mark: convert it, for example with iconv -f WINDOWS-1252 -t UTF-8"

const srt = "1\r\n00:00:01,250 --> 00:00:03,001\r\nHello"

/** UTF-16 with its byte order mark. */
const utf16 = (text: string, isLittle: boolean): Uint8Array<ArrayBuffer> => {
  const buffer = new ArrayBuffer(2 * text.length + 2)
  const bytes = new DataView(buffer)
  for (const [index, unit] of [0xfeff, ...text.split("").map((one) => one.charCodeAt(0))].entries()) {
    bytes.setUint16(2 * index, unit, isLittle)
  }
  return new Uint8Array(buffer)
}

const typed = (contentType: string) => ({ headers: { "content-type": contentType } })

describe("importing a transcript", () => {
  it.each([
    ["text/vtt; charset=utf-8", vtt, { text: "Hello", start: 1.25, end: 3.001, speaker: "0" }, { 0: "Ann" }],
    [
      "application/x-subrip",
      "1\r\n00:00:01,250 --> 00:00:03,001\r\nHello",
      { text: "Hello", start: 1.25, end: 3.001 },
      {}
    ],
    [
      "application/JSON",
      '{"segments":[{"start":1.25,"end":3.001,"text":" Hello"}]}',
      { text: "Hello", start: 1.25, end: 3.001 },
      {}
    ]
  ])("accepts %s, and the transcript is read in v2 too", async (contentType, body, sentence, speakers) => {
    const world = await makeSettings()
    const imported = await world.ask(at, { as: "bob", body, ...typed(contentType) })
    const segment = { start_seconds: 1, end_seconds: 4, text: "Hello", sentences: [sentence] }
    expect(imported).toMatchObject({ status: 200, body: { status: "ready", speaker_map: speakers } })
    expect(imported.body.segments).toEqual([segment])
    const v2 = await (await world.fetch(`/api/v2/recordings/${ids.bobs}/transcript`, { as: "bob" })).json()
    expect(v2).toMatchObject({ status: "ready", segments: [segment] })
    expect(world.entries().at(-1)).toMatchObject({ eventType: "transcript.updated", status: "success" })
  })

  it.each([
    ["application/x-subrip", srt],
    ["application/srt", srt],
    ["text/srt; charset=utf-8", srt],
    ["text/plain", srt],
    ["text/plain", `\uFEFF\n${srt.slice(3)}`],
    ["text/plain", vtt.replace("<v Ann>", "")],
    ["text/srt", utf16(srt, true)],
    ["text/plain", utf16(srt, false)],
    ["text/vtt", utf16(vtt.replace("<v Ann>", ""), false)]
  ])("accepts captions by their type or their beginning, in UTF-16 too: %s %#", async (contentType, body) => {
    const { ask } = await makeSettings()
    const imported = await ask(at, { body, ...typed(contentType) })
    const sentences = [{ text: "Hello", start: 1.25, end: 3.001 }]
    expect(imported).toMatchObject({
      status: 200,
      body: { segments: [{ start_seconds: 1, end_seconds: 4, text: "Hello", sentences }] }
    })
  })

  it.each(["WEBVTT is a format", "WEBVTTX\n-->", "12\nIt took 00:00:01 --> long", "at 00:00:01,250 --> 00:00:03,001"])(
    "keeps plain text that only resembles captions: %j",
    async (text) => {
      const { ask } = await makeSettings()
      const imported = await ask(at, { body: text, ...typed("text/plain") })
      expect(imported.body.segments).toEqual([{ start_seconds: 0, end_seconds: null, text, sentences: [] }])
    }
  )

  it("accepts plain text as one segment without times, of up to 65,536 characters as JSON", async () => {
    const world = await makeSettings()
    const text = `Hello,\n${"x".repeat(65_536 - 10)}`
    const imported = await world.ask(at, { as: "bob", body: text, ...typed("text/plain") })
    const segment = { start_seconds: 0, end_seconds: null, text, sentences: [] }
    expect(imported).toMatchObject({ status: 200, body: { status: "ready", speaker_map: {}, segments: [segment] } })
    const v2 = await (await world.fetch(`/api/v2/recordings/${ids.bobs}/transcript`, { as: "bob" })).json()
    expect(v2).toMatchObject({ status: "ready", segments: [segment], pagination: { count: 1 } })
  })

  it("accepts names of speakers of 65,536 characters as JSON; one more is 422, in an edit too", async () => {
    const { ask } = await makeSettings()
    const edited = `PUT /recordings/${ids.bobs}/transcript`
    const withNames = (name: string) => ({ segments: [{ start_seconds: 0, text: "x" }], speaker_map: { 0: name } })
    const json = withNames("x".repeat(65_536 - '{"0":""}'.length))
    for (const call of [at, edited]) expect((await ask(call, { json })).body.speaker_map).toEqual(json.speaker_map)
    const long = withNames(`${json.speaker_map[0]}x`)
    const error = "speaker_map must be at most 65536 characters long, as JSON"
    expect(await ask(edited, { json: long })).toMatchObject({ status: 422, body: { error } })
    expect(await ask(at, { json: long })).toMatchObject({ status: 422, body: { error: `Line 1, column 1: ${error}` } })
  })

  it("keeps an edited transcript before the imported one, and replaces a legacy one", async () => {
    const world = await makeSettings()
    const edit = { json: { segments: [{ start_seconds: 9, text: "Edited" }] } }
    await world.ask(at, { body: vtt, ...typed("text/vtt") })
    await world.ask(`PUT /recordings/${ids.bobs}/transcript`, edit)
    const imported = await world.ask(at, { body: vtt.replace("Hello", "Bye"), ...typed("text/vtt") })
    expect(imported.body.segments.map(({ text }: { text: string }) => text)).toEqual(["Edited"])
    const undone = await world.ask(`PUT /recordings/${ids.bobs}/transcript`, { json: { segments: [] } })
    expect(undone.body.segments.map(({ text }: { text: string }) => text)).toEqual(["Bye"])
  })

  it("ends a transcription in progress", async () => {
    const world = await makeSettings()
    const requested = await world.ask(`POST /recordings/${ids.bobs}/transcript/request`)
    expect(requested.body.status).toBe("processing")
    expect((await world.ask(at, { body: vtt, ...typed("text/vtt") })).body.status).toBe("ready")
  })

  it.each([
    [
      "text/vtt",
      "WEBVTT\n\n00:01.000 -> 00:02.000\nHi",
      422,
      "Line 3, column 1: a cue's times, with --> between them, must stand here"
    ],
    ["text/vtt", "WEBVTT\n", 422, "Line 1, column 1: nothing is said in it"],
    ["application/x-subrip", vtt, 422, "Line 1, column 1: a cue's times, with --> between them, must stand here"],
    ["application/json", '{"segments":\n [}', 422, "Line 2, column 3: a JSON value must stand here"],
    ["text/vtt", "", 400, "The body must not be empty"],
    ["text/vtt", new Uint8Array([0xff, 0xfe, 0x57]), 400, `The body ${encoding}`],
    ["text/vtt", new TextEncoder().encode("WEBVTT").map((byte) => byte | 0x80), 400, `The body ${encoding}`],
    ["text/plain", " \n", 422, "Line 1, column 1: nothing is said in it"],
    ["text/plain", "x".repeat(65_535), 422, "Line 1, column 1: must be at most 65536 characters long, as JSON"],
    [
      "text/vtt",
      `${vtt}\n00:04.000 --> 00:05.000\n${"x".repeat(65_536)}`,
      422,
      "Line 1, column 1: segment 2 must be at most 65536 characters long, as JSON"
    ],
    ["text/html", vtt, 415, `Content-Type must be one of ${types}`],
    ["constructor", vtt, 415, `Content-Type must be one of ${types}`]
  ] as const)("refuses a document: %#", async (contentType, body, status, message) => {
    const world = await makeSettings()
    const before = await world.ask(`GET /recordings/${ids.bobs}/transcript`)
    const refused = await world.ask(at, { body, ...typed(contentType) })
    expect(refused).toMatchObject({ status, body: { error: message } })
    expect((await world.ask(`GET /recordings/${ids.bobs}/transcript`)).body).toEqual(before.body)
  })

  it("accepts documents larger than other JSON up to its own limit, then 413, with and without a declared length", async () => {
    const { ask } = await makeSettings()
    const text = "x".repeat(30_000)
    const segments = Array.from({ length: 70 }, () => ({ start: 0, end: 1, text }))
    const large = await ask(at, { json: { segments } })
    expect(large.body.segments[69].text).toHaveLength(text.length)
    const tooLarge = new Uint8Array(16 * 1024 * 1024 + 1)
    const stream = () =>
      new ReadableStream({
        start(controller) {
          controller.enqueue(tooLarge)
          controller.close()
        }
      })
    for (const body of [tooLarge, stream()]) {
      expect(await ask(at, { body, ...typed("text/vtt") })).toMatchObject({
        status: 413,
        body: { error: "The transcript is larger than 16 MiB" }
      })
    }
  })
})
