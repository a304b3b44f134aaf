import { type Arena, elsewhere } from "../Arena.ts"
import type { Attack } from "../Attack.ts"
import { everywhere } from "../targets.ts"

/** Logs whose texts make redaction slow: from a stranger who has the public key of a site, and from a member. */

const header = {
  version: 1,
  started_at: "2026-01-01T10:00:00.000Z",
  page: { url: "https://shop.test/", title: "" },
  user_agent: "",
  viewport: { width: 1, height: 1 },
  timezone: "",
  language: ""
}

/** For each rule, what costs it most, and what once stopped the server. */
const parts = [
  "{name:value:",
  "token:/",
  "4-",
  "2 ",
  "a=%25",
  "a=%2541%25",
  "%88%8=",
  "a=b&",
  "<input name=a value=",
  'value:"',
  "://a:b@",
  "eyJaaaaaaa.a.",
  "a@b.c ",
  "Basic a ",
  "tdk_"
]

const fill = (part: string, length: number): string => part.repeat(Math.ceil(length / part.length)).slice(0, length)

const linesOf = (bytes: number, event: (seq: number) => object): string => {
  const lines = [JSON.stringify(header)]
  let size = 0
  for (let seq = 0; size < bytes; seq++) {
    const line = JSON.stringify({ seq, t: 0, ...event(seq) })
    lines.push(line)
    size += line.length + 1
  }
  return lines.join("\n")
}

const message = (part: string) => () => ({ kind: "console", level: "log", message: fill(part, 16_000) })

const body = (part: string) => (seq: number) => ({
  kind: "network",
  id: String(seq),
  method: "GET",
  url: "https://shop.test/",
  status: 200,
  initiator: "fetch",
  duration_ms: 1,
  request_headers: {},
  response_headers: {},
  response_body: fill(part, 160_000)
})

const ndjson = { "content-type": "application/x-ndjson" }

/** Appends batches to a capture of a site, as a stranger does. */
const batches = async (arena: Arena, texts: ReadonlyArray<string>) => {
  const site = { name: "Attacked", origins: ["https://shop.test"] }
  const { key } = await arena.settings<{ key: string }>("POST", "/sites", site)
  const begin = { method: "POST", token: null, json: {}, from: elsewhere }
  const begun = await arena.made<{ id: string; capture_token: string }>(`/api/capture/sites/${key}/captures`, begin)
  const headers = { ...ndjson, authorization: `Capture ${begun.capture_token}` }
  for (const [index, text] of texts.entries()) {
    const path = `/api/capture/captures/${begun.id}/logs?stream=s${index}`
    await arena.must(path, { method: "POST", token: null, headers, body: text, from: elsewhere }, [204])
    arena.stores(text.length)
  }
}

const hostileLogLines: Attack = {
  name: "hostile-log-lines",
  line: 19,
  targets: everywhere,
  run: async (arena) => {
    const bytes = arena.of(4_000_000, 200_000)
    await batches(
      arena,
      parts.map((part) => linesOf(bytes, message(part)))
    )
    // Its log has room for no further ones.
    if (arena.isFull)
      await batches(
        arena,
        Array.from({ length: 10 }, () => linesOf(bytes, message("x")))
      )
    for (const part of parts) {
      const text = linesOf(arena.of(15_000_000, 600_000), body(part))
      const path = `/api/settings/recordings/${await arena.recording()}/log`
      await arena.must(path, { method: "PUT", headers: ndjson, body: text }, [200])
      arena.stores(text.length)
    }
  }
}

export const logs: ReadonlyArray<Attack> = [hostileLogLines]
