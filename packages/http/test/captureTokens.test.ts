import { beforeAll, describe, expect, it } from "vitest"
import { handler, makeWorld, type TestWorld } from "./world.ts"

let world: TestWorld
let own: Record<string, string>
let other: Record<string, string>
let upload: string
let logToken: string

const send = async (method: string, path: string, authorization: string | null, sent: Sent = {}) => {
  const headers = { "tus-resumable": "1.0.0", ...sent.headers, ...(authorization !== null && { authorization }) }
  const request = new Request(`http://localhost${path}`, { method, headers, ...(sent.body && { body: sent.body }) })
  const response = await handler(request, world.context)
  const text = await response.text()
  const body = text === "" ? null : JSON.parse(text)
  return { status: response.status, headers: response.headers, body }
}

interface Sent {
  readonly headers?: Record<string, string>
  readonly body?: string
}

const json = { "content-type": "application/json" }

beforeAll(async () => {
  world = await makeWorld()
  const begin = async () =>
    (await send("POST", "/api/settings/captures", "Bearer ada-token", { headers: json, body: "{}" })).body
  own = await begin()
  other = await begin()
  const created = await send("POST", other.video_url!, `Capture ${other.capture_token}`, {
    headers: { "upload-defer-length": "1" }
  })
  upload = created.headers.get("location")!
  const { code } = (await send("POST", `/api/capture/captures/${other.id}/pairing`, `Capture ${other.capture_token}`))
    .body
  const paired = await send("POST", "/api/capture/pairings", null, { headers: json, body: JSON.stringify({ code }) })
  logToken = paired.body.log_token
})

const offset = { "content-type": "application/offset+octet-stream", "upload-offset": "0" }

/** Every endpoint of a capture, and whether a log token opens it. */
const endpoints = (): ReadonlyArray<readonly [method: string, path: string, isForLogs: boolean, sent?: Sent]> => [
  ["POST", other.video_url!, false, { headers: { "upload-defer-length": "1" } }],
  ["HEAD", upload, false],
  ["PATCH", upload, false, { headers: offset, body: "x" }],
  ["DELETE", upload, false],
  ["POST", other.logs_url!, true, { headers: { "content-type": "application/x-ndjson" }, body: "{}" }],
  ["POST", `/api/capture/captures/${other.id}/pairing`, true],
  ["POST", other.finish_url!, false],
  ["DELETE", `/api/capture/captures/${other.id}`, false]
]

describe("an endpoint of a capture", () => {
  it("answers 401 and the scheme Capture without its token: to none, an unknown one, another capture's and an access token", async () => {
    const tokens = [null, "Capture unknown", `Capture ${own.capture_token}`, "Bearer ada-token", "Capture ada-token"]
    for (const [method, path, , sent] of endpoints()) {
      for (const token of tokens) {
        const { headers, status } = await send(method, path, token, sent)
        expect([status, headers.get("www-authenticate")], `${method} ${path}`).toEqual([401, "Capture"])
      }
    }
    expect((await send("HEAD", upload, `Capture ${other.capture_token}`)).status).toBe(200)
  })

  it("answers 401 to a log token, but for logs and pairing", async () => {
    for (const [method, path, isForLogs, sent] of endpoints()) {
      const { status } = await send(method, path, `Capture ${logToken}`, sent)
      expect(status === 401, `${method} ${path}: ${status}`).toBe(!isForLogs)
    }
  })
})

it("the other APIs answer 401 to a capture's token and a log token", async () => {
  const uuid = other.recording_uuid
  for (const token of [other.capture_token, logToken]) {
    for (const path of ["/api/v2/recordings", `/api/v1/recordings/${uuid}`, `/api/settings/recordings/${uuid}`]) {
      for (const scheme of ["Bearer", "Capture"]) {
        const { headers, status } = await send("GET", path, `${scheme} ${token}`)
        expect([status, headers.get("www-authenticate")]).toEqual([401, "Bearer"])
      }
    }
  }
})
