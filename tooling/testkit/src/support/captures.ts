import type { Running } from "./target.ts"

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
