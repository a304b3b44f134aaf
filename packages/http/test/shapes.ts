import {
  ErrorV1,
  ErrorV2,
  FlatRecording,
  FlatRecordingPage,
  Recording,
  RecordingPage,
  RecordingTranscript,
  User,
  UserPage
} from "@tapedeck/contract"
import { Schema } from "effect"
import { expect } from "vitest"

export interface Sent {
  /** Whose token is sent: the part of the e-mail before the `@`; null for no token. */
  readonly as?: string | null
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly body?: string | Uint8Array<ArrayBuffer> | ReadableStream
  /** Sent as the JSON body. */
  readonly json?: unknown
}

const shapes: ReadonlyArray<readonly [RegExp, Schema.Codec<unknown, unknown>]> = [
  [/^\/api\/v2\/recordings$/, RecordingPage],
  [/^\/api\/v2\/recordings\/[^/]+$/, Recording],
  [/^\/api\/v2\/recordings\/[^/]+\/transcript$/, RecordingTranscript],
  [/^\/api\/v2\/users$/, UserPage],
  [/^\/api\/v2\/users\/search$/, User],
  [/^\/api\/v1\/recordings$/, FlatRecordingPage],
  [/^\/api\/v1\/recordings\/[^/]+$/, FlatRecording]
]

/** The schema of an answer that is neither a file nor a page; nothing but these may leave the API. */
const shapeOf = (path: string, status: number): Schema.Codec<unknown, unknown> | undefined => {
  if (status >= 400) return /^\/api\/v1(\/|$)/.test(path) ? ErrorV1 : ErrorV2
  return shapes.find(([pattern]) => pattern.test(path))?.[1]
}

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever fields it expects, and fails where they are not
type Body = any

/** A response whose body was checked. */
export interface Answered {
  readonly status: number
  readonly headers: Headers
  readonly body: Body
}

/**
 * The body of an answer. JSON is checked against the contract, unknown keys included; every answer must carry what all
 * answers carry (R2, R3).
 */
export const checkedBody = async (target: string, sent: Sent, response: Response): Promise<Body> => {
  const path = target.split("?")[0] ?? ""
  expect(response.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/)
  expect(response.headers.get("date")).toMatch(/GMT$/)
  const text = await response.text()
  if (sent.method === "HEAD" || response.status === 304) {
    expect(text).toBe("")
    return undefined
  }
  const shape = shapeOf(path, response.status)
  const isPage = /^\/r\/[^/]+(?:\/embed)?$/.test(path)
  if (shape === undefined || isPage) return text
  expect(response.headers.get("content-type")).toBe("application/json")
  expect(Number(response.headers.get("content-length"))).toBe(Buffer.byteLength(text))
  return Schema.decodeUnknownSync(shape, { onExcessProperty: "error", errors: "all" })(JSON.parse(text))
}
