import { type Arena, elsewhere } from "../Arena.ts"
import { linesOf } from "./shapes.ts"

const mebibyte = 1024 * 1024

/** So many bytes, or a share of them in the short size. */
const sized = (arena: Arena, bytes: number): number => Math.floor(bytes / arena.of(1, 64))

/** `hh:mm:ss.mmm` */
const time = (seconds: number, point: string): string =>
  `${[seconds / 3600, (seconds / 60) % 60, seconds % 60].map((part) => String(Math.floor(part)).padStart(2, "0")).join(":")}${point}000`

const cue = (point: string, from: number, to: number, text: string): string =>
  `${time(from, point)} --> ${time(to, point)}\n${text}\n`

/** Transcripts: many segments, rising, falling, at one instant, each over all others, with long texts, speakers and markup. */
const transcripts = (bytes: number): ReadonlyArray<readonly [name: string, type: string, body: () => string]> => {
  const cues = (name: string, make: (index: number) => readonly [from: number, to: number, text: string]) =>
    [
      ["text/vtt", ".", "WEBVTT\n\n"],
      ["application/x-subrip", ",", ""]
    ].map(
      ([type = "", point = "", start]) =>
        [`${name} as ${type}`, type, () => start + linesOf(bytes, (index) => cue(point, ...make(index)))] as const
    )
  const json = (name: string, make: (index: number) => unknown) =>
    [
      name,
      "application/json",
      () => `{"segments":[${linesOf(bytes - 20, (index) => JSON.stringify(make(index)), ",")}]}`
    ] as const
  return [
    ...cues("rising cues", (index) => [index, index + 1, "a"]),
    ...cues("falling cues", (index) => [90_000 - (index % 90_000), 90_001 - (index % 90_000), "a"]),
    ...cues("cues at one instant", () => [1, 2, "a"]),
    ...cues("cues over all others", (index) => [index % 90_000, 90_000, `${index}`]),
    ...cues("cues of markup", () => [1, 2, "<v Ada><b><i>".repeat(50)]),
    ...cues("cues of unended tags", () => [1, 2, "<v ".repeat(2_000)]),
    ...cues("one long cue", () => [1, 2, "a b <".repeat(Math.floor(bytes / 6))]),
    json("rising segments", (n) => ({ start: n, end: n + 1, text: "a" })),
    json("falling segments", (n) => ({ start: 100_000 - n, end: 100_001 - n, text: "a" })),
    json("long segments", (n) => ({ start: n, end: n + 1, text: "a. ".repeat(5_000) })),
    json("speakers", (n) => ({ start: n, end: n + 1, text: "a", speaker: `s${n}` })),
    json("early ends", (n) => ({ start: n + 1, end: n, text: "a" })),
    json("segments of which one can be read", (n) => (n === 0 ? { start: 1, text: "a" } : 7)),
    [
      "values that are not numbers",
      "application/json",
      () => `{"segments":[${linesOf(bytes - 20, () => "NaN", ",")}]}`
    ],
    ["skipped cues", "text/vtt", () => `WEBVTT\n\n${linesOf(bytes - 10, () => "00:00:01,0 --> x\n")}`],
    ["cues that cannot be read", "application/x-subrip", () => linesOf(bytes, () => "00:00:01,000 --> x")],
    ["lines of text", "text/plain", () => linesOf(bytes, () => "a")],
    ["lines of speakers", "text/plain", () => linesOf(bytes, (n) => `Speaker ${n}: a`)],
    ["lines of times", "text/plain", () => linesOf(bytes, (n) => `[${time(n % 90_000, ".")}] a`)]
  ]
}

export const importedTranscripts = async (arena: Arena): Promise<void> => {
  const bytes = sized(arena, 16 * mebibyte)
  for (const [name, type, body] of transcripts(bytes)) {
    const uuid = await arena.recording()
    const path = `/api/settings/recordings/${uuid}/transcript`
    const text = body()
    const { status } = await arena.send(`PUT …/transcript/import, ${name}`, `${path}/import`, {
      method: "PUT",
      headers: { "content-type": type },
      body: text
    })
    if (status !== 200) continue
    arena.stores(3 * text.length)
    await arena.settings("PUT", `/recordings/${uuid}/sharing`, { sharing: "public" })
    for (const made of [path, `/api/v2/recordings/${uuid}/transcript`, `/api/v2/recordings/${uuid}`, `/r/${uuid}`])
      await arena.send(`GET ${made.replace(uuid, "…")} of ${name}`, made, {})
  }
}

const header = JSON.stringify({
  version: 1,
  started_at: "2026-01-01T10:00:00.000Z",
  page: { url: "https://a.test/", title: "x" },
  user_agent: "x",
  viewport: { width: 1, height: 1 },
  timezone: "UTC",
  language: "en"
})

const network = (seq: number, more: object = {}): string =>
  JSON.stringify({
    seq,
    t: seq,
    kind: "network",
    id: String(seq),
    method: "GET",
    url: "https://a.test/x",
    status: 500,
    initiator: "fetch",
    duration_ms: 1,
    request_headers: {},
    response_headers: {},
    ...more
  })
const mark = (seq: number, t = 0): string => `{"seq":${seq},"t":${t},"kind":"mark","text":""}`
const consoleLine = (seq: number, message: string): string =>
  JSON.stringify({ seq, t: seq, kind: "console", level: "error", message })
const navigation = (seq: number): string =>
  JSON.stringify({ seq, t: seq, kind: "navigation", url: `https://a.test/${seq}`, title: `${seq}` })

/** Texts that the rules of redaction may search over and over, and texts like them. */
const searched = [
  "x",
  "{name:value:",
  "4-",
  "4111 ",
  "a=%25",
  "1 ",
  "a=b&",
  "a@",
  "<a b='c' ",
  "eyJ.",
  "Bearer ",
  "token:",
  '\\"password\\":'
]

/** The lines of a log: each kind by the most that fits, in orders and with texts that are dear to sort, search and pair. */
const logs = (bytes: number): ReadonlyArray<readonly [name: string, body: () => string]> => {
  const of = (name: string, make: (index: number) => string) =>
    [name, () => `${header}\n${linesOf(bytes - header.length - 1, make)}`] as const
  const headers = (from: string) =>
    Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`${from}${n}`, "y ".repeat(400)]))
  return [
    of("rising marks", (n) => mark(n)),
    of("falling marks", (n) => mark(1_000_000 - n)),
    of("marks with gaps, falling", (n) => mark(2_000_000 - 2 * n)),
    of("marks at the ends of time", (n) => mark(n, n % 2 === 0 ? 8.64e15 : -8.64e15)),
    of("requests", (n) => network(n)),
    of("requests of one id", (n) => network(n, { id: "1" })),
    of("navigations and requests", (n) => (n % 2 === 0 ? navigation(n) : network(n))),
    of("navigations, then requests", (n) => (n < bytes / 500 ? navigation(n) : network(n))),
    of("requests with long headers", (n) =>
      network(n, { request_headers: headers("a"), response_headers: headers("b") })
    ),
    of("requests with bodies", (n) =>
      network(n, { response_body: '{"a":"b"}'.repeat(15_000), request_body: "a=b&".repeat(30_000) })
    ),
    of("unknown kinds", (n) => `{"seq":${n},"t":0,"kind":"k${n}"}`),
    of(
      "unknown fields",
      (n) => `{"seq":${n},"t":0,"kind":"mark","text":"",${linesOf(15_000, (k) => `"k${k}":1`, ",")}}`
    ),
    of(
      "deep values",
      (n) => `{"seq":${n},"t":0,"kind":"state","name":"a","value":${"[".repeat(3_000)}${"]".repeat(3_000)}}`
    ),
    of("blank lines", () => ""),
    ...searched.map((atom) =>
      of(`messages of ${atom}`, (n) => consoleLine(n, atom.repeat(Math.ceil(15_900 / atom.length))))
    )
  ]
}

/** HTTP archives: many pages and requests, long bodies, bodies in base64. */
const archives = (bytes: number): ReadonlyArray<readonly [name: string, body: () => string]> => {
  const at = (n: number) => new Date(1_767_261_600_000 + n).toISOString()
  const entry = (n: number, content: object) => ({
    startedDateTime: at(n),
    time: 1,
    pageref: `p${n}`,
    request: { method: "GET", url: `https://a.test/${n}`, headers: [] },
    response: { status: 200, headers: [], content }
  })
  const of = (name: string, page: (n: number) => unknown, make: (n: number) => unknown) =>
    [
      name,
      () =>
        `{"log":{"version":"1.2","creator":{"name":"a","version":"1"},"pages":[${linesOf(bytes / 4, (n) => JSON.stringify(page(n)), ",")}],` +
        `"entries":[${linesOf(bytes * 0.7, (n) => JSON.stringify(make(n)), ",")}]}}`
    ] as const
  const page = (n: number) => ({ startedDateTime: at(n), id: `p${n}`, title: `${n}`, pageTimings: {} })
  return [
    of("pages and requests", page, (n) => entry(n, { size: 1, mimeType: "text/plain", text: "a" })),
    of(
      "falling pages and requests",
      (n) => page(1_000_000 - n),
      (n) => entry(1_000_000 - n, { size: 1 })
    ),
    of("bodies in base64", page, (n) => entry(n, { size: 1, encoding: "base64", text: "YWJjZA==".repeat(18_000) })),
    of("bodies of JSON", page, (n) =>
      entry(n, { size: 1, mimeType: "application/json", text: "{name:value:".repeat(12_000) })
    )
  ]
}

/** Everything that is made of a recording's log. */
const madeOfLog = async (arena: Arena, uuid: string, name: string): Promise<void> => {
  await arena.settings("PUT", `/recordings/${uuid}/sharing`, { sharing: "public", is_log_shared: true })
  const path = `/api/settings/recordings/${uuid}`
  for (const made of [
    `${path}/log`,
    `${path}/log?kinds=mark&from=1`,
    `${path}/log.har`,
    `${path}/errors`,
    path,
    `/r/${uuid}`
  ])
    await arena.send(`GET ${made.replace(uuid, "…")} of ${name}`, made, {})
}

export const importedLogs = async (arena: Arena): Promise<void> => {
  const bytes = sized(arena, 32 * mebibyte)
  const rows = [
    ...logs(bytes).map((row) => ["application/x-ndjson", ...row] as const),
    ...archives(bytes).map((row) => ["application/json", ...row] as const)
  ]
  for (const [type, name, body] of rows) {
    const uuid = await arena.recording()
    const options = { method: "PUT", headers: { "content-type": type }, body: body() }
    const { status } = await arena.send(`PUT …/log, ${name}`, `/api/settings/recordings/${uuid}/log`, options)
    arena.stores(3 * options.body.length)
    if (status === 200) await madeOfLog(arena, uuid, name)
  }
}

interface Begun {
  readonly id: string
  readonly recording_uuid: string
  readonly capture_token: string
  readonly logs_url: string
  readonly video_url: string
  readonly finish_url: string
}

let begun = 0

/** Begins a capture by a link of its own, from another address each time. */
const begin = async (arena: Arena): Promise<Begun & { readonly authorization: string }> => {
  const { url } = await arena.settings<{ url: string }>("POST", "/capture-links", { max_uses: null })
  const made = await arena.made<Begun>(`/api/capture/links/${url.split("/c/")[1]}/captures`, {
    method: "POST",
    token: null,
    from: `127.7.${Math.floor(begun / 250)}.${(begun++ % 250) + 1}`
  })
  return { ...made, authorization: `Capture ${made.capture_token}` }
}

/** Requests of a stranger with a link: the largest batches, their number, and the end that joins them. */
export const captureLogs = async (arena: Arena): Promise<void> => {
  const bytes = sized(arena, 4 * mebibyte)
  const batch = (capture: Begun & { readonly authorization: string }, body: string, stream = "main") => ({
    path: `${capture.logs_url}?stream=${stream}`,
    options: {
      method: "POST",
      token: null,
      from: elsewhere,
      headers: { authorization: capture.authorization, "content-type": "application/x-ndjson" },
      body
    }
  })
  const finished = async (capture: Begun & { readonly authorization: string }, name: string) => {
    const headers = { authorization: capture.authorization, "content-type": "application/json" }
    await arena.send(`POST …/finish of ${name}`, capture.finish_url, {
      method: "POST",
      token: null,
      headers,
      body: "{}"
    })
    await madeOfLog(arena, capture.recording_uuid, name)
  }
  for (const [name, body] of logs(bytes)) {
    const capture = await begin(arena)
    const text = body()
    arena.stores(3 * text.length)
    const { options, path } = batch(capture, text)
    await arena.send(`POST …/logs, ${name}`, path, options)
    await finished(capture, name)
  }
  const many = await begin(arena)
  await arena.watched("POST …/logs, small batches", async () => {
    const first = batch(many, header)
    await arena.must(first.path, first.options, [204])
    for (let n = 0; n < arena.of(3_000, 20); n++) {
      const { options, path } = batch(many, mark(n))
      await arena.must(path, options, [204, 429, 413])
    }
  })
  await finished(many, "small batches")
  const streams = await begin(arena)
  const long = header.replace("https://a.test/", "https://a.test/".repeat(500))
  const scattered = `${long}\n${linesOf(sized(arena, 60_000), (n) => mark(2 * n))}`
  await arena.watched("POST …/logs, streams of scattered lines", async () => {
    for (let n = 0; n < 50; n++) {
      const { options, path } = batch(streams, scattered, `s${n}`)
      await arena.must(path, options, [204, 400, 413])
    }
  })
  await arena.watched("POST …/pairing, beside streams of scattered lines", async () => {
    const headers = { authorization: streams.authorization }
    const path = `/api/capture/captures/${streams.id}/pairing`
    await Promise.all(
      Array.from({ length: 60 }, () => arena.must(path, { method: "POST", token: null, headers }, [201, 409, 429, 503]))
    )
  })
  await finished(streams, "streams of scattered lines")
  const tus = { authorization: streams.authorization, "tus-resumable": "1.0.0" }
  const pieces = await begin(arena)
  await arena.watched("PATCH of pieces of a byte", async () => {
    const headers = { ...tus, authorization: pieces.authorization }
    const made = await arena.call(pieces.video_url, {
      method: "POST",
      token: null,
      headers: { ...headers, "upload-defer-length": "1" }
    })
    const path = String(made.headers.location)
    for (let n = 0; n < arena.of(2_000, 20); n++) {
      const patch = { ...headers, "upload-offset": String(n), "content-type": "application/offset+octet-stream" }
      const { status } = await arena.call(path, { method: "PATCH", token: null, headers: patch, body: "a" })
      arena.check([204, 413, 429].includes(status), `PATCH of a byte: ${status}`)
      if (status !== 204) break
    }
  })
  await finished(pieces, "pieces of a byte")
}

/** Documents that are the same for every account. */
export const documents = async (arena: Arena): Promise<void> => {
  const paths = [
    "/api/v2/openapi.json",
    "/api/settings/openapi.json",
    "/api/capture/openapi.json",
    "/api/docs",
    "/api/v2/recordings",
    "/api/v1/recordings",
    "/api/settings/recordings",
    "/api/settings/audit-entries",
    "/api/settings/statistics?interval=hour"
  ]
  for (const path of paths) await arena.send(`GET ${path}`, path, {})
}
