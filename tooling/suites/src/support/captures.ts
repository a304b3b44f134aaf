import { expect } from "vitest"
import { ada } from "./acme.ts"
import type { Call } from "./http.ts"
import { bodyOf, type Running } from "./target.ts"

/** What a capture begins with. */
export interface Begun {
  readonly id: string
  readonly recording_uuid: string
  readonly capture_token: string
  readonly video_url: string
  readonly logs_url: string
  readonly finish_url: string
}

export const json = { "content-type": "application/json" }
export const header = {
  version: 1,
  started_at: "2026-01-01T10:00:00.000Z",
  page: { url: "https://shop.example.com/?token=abc123", title: "Cart" },
  user_agent: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
  viewport: { width: 1280, height: 720 },
  timezone: "Europe/Berlin",
  language: "de"
}
export const boom = {
  seq: 0,
  t: 5,
  kind: "console",
  level: "error",
  message: "boom for bob@example.com and eve@example.com"
}
export const failed = {
  seq: 1,
  t: 9,
  kind: "network",
  id: "n1",
  method: "POST",
  url: "https://shop.example.com/api?password=hunter2",
  status: 503,
  initiator: "fetch",
  duration_ms: 7,
  request_headers: { authorization: "Bearer abcdef123456" },
  response_headers: {},
  request_body: "secret"
}
/** A path below the base URL: addresses in answers are paths from `/`, the world's prefix included. */
export const below = ({ baseUrl }: Running, path: string) => {
  const prefix = new URL(baseUrl).pathname.replace(/\/$/, "")
  if (path.startsWith(`${prefix}/api`)) return path.slice(prefix.length)
  return path.startsWith("/api") ? path : `/api/capture${path}`
}
export const lines = (...values: ReadonlyArray<unknown>) => values.map((value) => JSON.stringify(value)).join("\n")

/** The calls of captures, of an admin's settings and of a capture's token. */
export const captureCalls = (running: () => Running) => {
  const settings = (method: string, path: string, body?: unknown, token: string = ada) =>
    running().fetch(`/api/settings${path}`, {
      method,
      token,
      ...(body !== undefined && { headers: json, body: JSON.stringify(body) })
    })
  const capture = (method: string, path: string, token: string | null, init: Partial<Call> = {}) =>
    running().fetch(below(running(), path), {
      ...init,
      method,
      headers: { ...init.headers, ...(token !== null && { authorization: `Capture ${token}` }) }
    })
  const tokenOf = (url: string) => url.slice(url.lastIndexOf("/") + 1)
  const makeLink = async (input: object = {}, token = ada) =>
    bodyOf<{ id: string; url: string }>(await settings("POST", "/capture-links", input, token), 201)
  const begin = async (input: object = { max_uses: null }) => {
    const { url } = await makeLink(input)
    return bodyOf<Begun>(await capture("POST", `/links/${tokenOf(url)}/captures`, null), 201)
  }
  const tus = { "tus-resumable": "1.0.0" }
  const create = async ({ capture_token, video_url }: Begun, part?: number) => {
    const metadata = `filetype ${btoa("video/webm")}${part === undefined ? "" : `,part ${btoa(String(part))}`}`
    const headers = { ...tus, "upload-defer-length": "1", "upload-metadata": metadata }
    const answer = await capture("POST", video_url, capture_token, { headers })
    expect(answer.status, String(answer)).toBe(201)
    return answer.header("location")!
  }
  const append = (begun: Begun, location: string, offset: number, body: Buffer) =>
    capture("PATCH", location, begun.capture_token, {
      headers: { ...tus, "content-type": "application/offset+octet-stream", "upload-offset": String(offset) },
      body
    })
  const log = (path: string, token: string, body: string) =>
    capture("POST", path, token, { headers: { "content-type": "application/x-ndjson" }, body: Buffer.from(body) })
  const finish = (begun: Begun, body: object = {}) =>
    capture("POST", begun.finish_url, begun.capture_token, { headers: json, body: JSON.stringify(body) })
  const recording = async (begun: Begun, token: string = ada) =>
    settings("GET", `/recordings/${begun.recording_uuid}`, undefined, token)
  return { append, begin, capture, create, finish, log, makeLink, recording, settings, tokenOf, tus }
}
