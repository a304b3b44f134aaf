import { afterAll, beforeAll, expect, test } from "vitest"
import { acme, ada } from "../../support/acme.ts"
import { type Begun, below, boom, failed, header, json, lines } from "../../support/captures.ts"
import { blackbox, bodyOf, type Running, refusalV2, type Target } from "../../support/target.ts"
import { onStores } from "../targets.ts"

export const targets = onStores

/** Capture logs, sent by a page or imported: the same on the emulator and on the server. */
export const suite = (target: Target): void =>
  blackbox(target, "capture logs", () => {
    let running: Running
    beforeAll(async () => {
      running = await target.start(acme({}))
    })
    afterAll(() => running.close())

    const settings = (method: string, path: string, body?: unknown) =>
      running.fetch(`/api/settings${path}`, {
        method,
        token: ada,
        ...(body !== undefined && { headers: json, body: JSON.stringify(body) })
      })
    const capture = (method: string, path: string, token: string | null, type: string, body: string) =>
      running.fetch(below(running, path), {
        method,
        headers: { "content-type": type, ...(token !== null && { authorization: `Capture ${token}` }) },
        body: Buffer.from(body)
      })
    const begin = async (input: object = {}) => {
      const link = bodyOf<{ url: string }>(await settings("POST", "/capture-links", input), 201)
      const token = link.url.slice(link.url.lastIndexOf("/") + 1)
      return bodyOf<Begun>(await capture("POST", `/links/${token}/captures`, null, "application/json", "{}"), 201)
    }
    const log = (path: string, token: string, body: string) =>
      capture("POST", path, token, "application/x-ndjson", body)
    const finish = (begun: Begun) => capture("POST", begun.finish_url, begun.capture_token, "application/json", "{}")
    const recording = (begun: Begun) => settings("GET", `/recordings/${begun.recording_uuid}`)

    test("is redacted on arrival, merged by time, skips repeated lines, and gives the recording its errors", async () => {
      const begun = await begin({ customer: { email: "eve@example.com" } })
      const send = (text: string, stream = "") => log(`${begun.logs_url}${stream}`, begun.capture_token, text)
      for (const _ of [1, 2]) expect((await send(lines(header, boom, failed))).status).toBe(204)
      expect((await send(lines(header, { ...boom, t: 7, message: "tab" }), "?stream=tab")).status).toBe(204)
      bodyOf(await finish(begun))
      const text = (await settings("GET", `/recordings/${begun.recording_uuid}/log`)).text
      for (const secret of ["abc123", "hunter2", "abcdef123456", "bob@example.com", '"secret"']) {
        expect(text).not.toContain(secret)
      }
      const [first, ...events] = text
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as Record<string, unknown>)
      expect(first).toMatchObject({ version: 1, page: { url: "https://shop.example.com/?token=[redacted]" } })
      expect(events.map(({ kind, seq, t }) => [seq, t, kind])).toEqual([
        [0, 5, "console"],
        [1, 7, "console"],
        [2, 9, "network"]
      ])
      expect(bodyOf(await recording(begun))).toMatchObject({
        console_logs: "[error] boom for [redacted] and eve@example.com\n[error] tab",
        technical_details: { timezone: "Europe/Berlin" },
        redactions: { body: 1, email: 1, header: 1, query_parameter: 3 }
      })
      const filtered = await settings("GET", `/recordings/${begun.recording_uuid}/log?kinds=console&from=6&to=8`)
      expect(filtered.text.trim().split("\n")).toHaveLength(2)
      refusalV2(await settings("GET", `/recordings/${begun.recording_uuid}/log?kinds=all`), 400)
      const har = bodyOf<{ log: { version: string; entries: ReadonlyArray<unknown> } }>(
        await settings("GET", `/recordings/${begun.recording_uuid}/log.har`)
      )
      expect([har.log.version, har.log.entries.length]).toEqual(["1.2", 1])
    })

    test("has each line once, and counts it once, when overlapping batches are sent at the same time", async () => {
      const begun = await begin()
      const mark = (seq: number) => ({ seq, t: seq, kind: "mark", text: `from a${seq}@b.co` })
      const batch = (from: number) => lines(header, ...Array.from({ length: 40 }, (_, at) => mark(from + at)))
      const sent = await Promise.all(
        [0, 0, 20, 40, 0].map((from) => log(begun.logs_url, begun.capture_token, batch(from)))
      )
      expect(sent.map(({ status }) => status)).toEqual([204, 204, 204, 204, 204])
      bodyOf(await finish(begun))
      const text = (await settings("GET", `/recordings/${begun.recording_uuid}/log`)).text
      const seqs = text
        .trim()
        .split("\n")
        .slice(1)
        .map((line) => JSON.parse(line).seq)
      expect(seqs).toEqual(Array.from({ length: 80 }, (_, seq) => seq))
      expect(bodyOf(await recording(begun))).toMatchObject({ redactions: { email: 80, query_parameter: 1 } })
    })

    test("refuses malformed lines with their numbers, stores nothing of their batch, and takes it without them", async () => {
      const begun = await begin()
      const send = (text: string) => log(begun.logs_url, begun.capture_token, text)
      const refused = async (text: string) => {
        const answer = await send(text)
        expect(answer.status).toBe(400)
        return JSON.parse(answer.text) as { readonly error: string; readonly lines?: ReadonlyArray<number> }
      }
      const noHeader = await refused(lines(boom))
      expect(noHeader).toEqual({ error: expect.stringMatching(/^Line 1: .*header/) })
      const rows = [header, boom, "{", { ...boom, seq: 3, level: "fatal" }, "", { ...boom, seq: 4 }].map((row) =>
        typeof row === "string" ? row : JSON.stringify(row)
      )
      const { error, lines: named } = await refused(rows.join("\n"))
      expect(error).toMatch(/^Line 3: this is not JSON \(and 1 more line\)$/)
      expect(named).toEqual([3, 4])
      const readable = rows.filter((_, index) => !named!.includes(index + 1))
      expect((await send(readable.join("\n"))).status).toBe(204)
      bodyOf(await finish(begun))
      const text = (await settings("GET", `/recordings/${begun.recording_uuid}/log`)).text
      expect(text.trim().split("\n")).toHaveLength(3)
    })

    test("names at most 1,000 malformed lines, and refuses a line of more than 10,000 values", async () => {
      const begun = await begin()
      const send = (text: string) => log(begun.logs_url, begun.capture_token, text)
      const refusedLines = async (text: string) =>
        (JSON.parse((await send(text)).text) as { readonly lines: ReadonlyArray<number> }).lines
      expect(await refusedLines("x\n".repeat(1_000))).toHaveLength(1_000)
      expect(await refusedLines("x\n".repeat(1_001))).toHaveLength(1_000)
      const headers = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`a${at}`, ""]))
      // The line itself, its ten other fields, and the object of its headers.
      const atLimit = { ...failed, response_headers: headers(10_000 - 2 - Object.keys(failed).length) }
      const beyond = { ...failed, seq: 2, response_headers: { ...atLimit.response_headers, last: "" } }
      expect((await send(lines(header, atLimit))).status).toBe(204)
      expect((await send(lines(beyond))).text).toContain("Line 1: a line has at most 10000 values")
    })

    test("has U+FFFD in the place of NUL and of half a surrogate pair, and loses nothing else", async () => {
      const begun = await begin()
      const cut = "a\0b \ud83d"
      const odd = [
        { ...boom, message: cut },
        { ...failed, request_headers: { [cut]: cut } }
      ]
      const named = { ...header, page: { url: "https://shop.example.com/", title: cut } }
      expect((await log(begun.logs_url, begun.capture_token, lines(named, ...odd))).status).toBe(204)
      bodyOf(await finish(begun))
      const text = (await settings("GET", `/recordings/${begun.recording_uuid}/log`)).text
      const [first, ...events] = text
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as Record<string, unknown>)
      const mended = "a\uFFFDb \uFFFD"
      expect(first).toMatchObject({ page: { title: mended } })
      expect(events).toMatchObject([{ message: mended }, { request_headers: { [mended]: mended } }])
    })

    test("can be imported as a capture log or HAR for a recording that was not captured", async () => {
      const made = bodyOf<{ uuid: string }>(await settings("POST", "/recordings", { title: "Uploaded" }), 201)
      const path = `/recordings/${made.uuid}/log`
      refusalV2(await settings("GET", path), 404)
      const put = (body: string | Buffer, type: string) =>
        running.fetch(`/api/settings${path}`, {
          method: "PUT",
          token: ada,
          headers: { "content-type": type },
          body: Buffer.from(body as string)
        })
      bodyOf(await put(lines(header, boom, failed), "application/x-ndjson"))
      const har = (await settings("GET", `${path}.har`)).text
      bodyOf(await put(har, "application/json"))
      expect((await settings("GET", `${path}.har`)).text).toContain("password=[redacted]")
      expect(bodyOf(await put("{}", "application/json"), 400)).toMatchObject({ lines: [1] })
      const [odd, entry] = [JSON.parse(har), JSON.parse(har)].map(({ log }) => log.entries[0])
      odd.response.content = { text: "a\0b \ud83d" }
      const file = Buffer.from(
        JSON.stringify({ log: { entries: [odd, null, entry] } }).replace("/api", "/\xff"),
        "latin1"
      )
      expect(bodyOf(await put(file, "application/json"))).toMatchObject({
        uuid: made.uuid,
        log_repairs: {
          count: 3,
          first: [
            { where: "the file", repair: "Bytes that are not UTF-8 became U+FFFD" },
            { where: "log.entries[0].response.content.text", repair: "NUL and lone surrogates became U+FFFD" },
            { where: "log.entries[1]" }
          ]
        }
      })
      const mended = (await settings("GET", `${path}.har`)).text
      expect(mended).toContain('"a\uFFFDb \uFFFD"')
      expect(mended.match(/"startedDateTime"/g)).toHaveLength(3)
      refusalV2(await put("x", "text/plain"), 415)
    })
  })
