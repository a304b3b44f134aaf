import { startEmulator } from "@tapedeck/emulator"
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"

const uuid = "7d0f3c1e-0000-4000-8000-000000000001"

let emulator: Awaited<ReturnType<typeof startEmulator>>
beforeAll(async () => {
  emulator = await startEmulator({
    fixtures: {
      users: [{ email: "ada@acme.test", name: "Ada", role: "admin", token: "ada-token" }],
      recordings: [
        {
          uuid,
          title: "Checkout fails",
          user: "ada@acme.test",
          duration: 20,
          video: { original: { base64: Buffer.from("whole").toString("base64"), content_type: "video/webm" } },
          transcript: {
            segments: [
              { start_seconds: 0, end_seconds: 4, text: "cut off" },
              { start_seconds: 5, end_seconds: 9, text: "kept" }
            ]
          }
        }
      ]
    }
  })
})
afterAll(() => emulator.close())
beforeEach(() => emulator.reset())

const call = async (method: string, path: string, body?: unknown) => {
  const response = await emulator.fetch(path, {
    method,
    headers: { authorization: "Bearer ada-token", "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) })
  })
  return { status: response.status, text: await response.text() }
}

const at = `/api/settings/recordings/${uuid}`
const trim = (start_seconds: number, end_seconds: number) => call("PUT", `${at}/trim`, { start_seconds, end_seconds })

test("v2, captions and the public page show the part once it is trimmed, and the whole after the undo", async () => {
  const shown = async () => ({
    recording: JSON.parse((await call("GET", `/api/v2/recordings/${uuid}`)).text),
    segments: JSON.parse((await call("GET", `/api/v2/recordings/${uuid}/transcript`)).text).segments,
    captions: (await call("GET", `/r/${uuid}/captions`)).text,
    page: (await call("GET", `/r/${uuid}`)).text,
    video: (await call("GET", `/api/v2/recordings/${uuid}/download`)).text
  })
  const before = await shown()
  const trimmed = await trim(4.5, 12)
  expect(trimmed.status).toBe(200)
  expect(JSON.parse(trimmed.text)).toMatchObject({
    trim: { start_seconds: 4.5, end_seconds: 12, state: "ready" },
    video: { original: { size_bytes: 5 }, edited: { content_type: "video/webm", size_bytes: 5 } },
    metadata: { duration: 8 }
  })
  const cut = await shown()
  expect(cut.segments).toMatchObject([{ start_seconds: 0, end_seconds: 5, text: "kept" }])
  expect(cut.captions).toContain("00:00:00.000 --> 00:00:05.000\nkept")
  expect(cut.captions + cut.page).not.toContain("cut off")
  expect(cut.video).toBe("whole")
  expect((await call("DELETE", `${at}/trim`)).status).toBe(200)
  const after = await shown()
  expect(after.recording.metadata.duration).toBe(20)
  expect([after.segments, after.captions]).toEqual([before.segments, before.captions])
})

test("bodies that say no range are refused by name", async () => {
  for (const [body, status, message] of [
    [{ start_seconds: 1, end_seconds: 1.5 }, 422, "end_seconds must be at least 1 second after start_seconds"],
    [{ start_seconds: "1", end_seconds: 3 }, 422, "start_seconds must be a number of seconds"],
    [{ start_seconds: 0, end_seconds: 21.1 }, 422, "end_seconds must be at most 21"],
    [{ start: 1, end: 3 }, 400, "start"]
  ] as const) {
    const refused = await call("PUT", `${at}/trim`, body)
    expect([refused.status, refused.text]).toEqual([status, expect.stringContaining(message)])
  }
})

test("an edited file that the control plane puts in or takes away ends the trim", async () => {
  for (const [method, body] of [
    ["PUT", { size: 3 }],
    ["DELETE", undefined]
  ] as const) {
    await trim(5, 9)
    await call(method, `/_emulator/recordings/${uuid}/video/edited`, body)
    expect(JSON.parse((await call("GET", at)).text)).toMatchObject({ trim: null, metadata: { duration: 20 } })
    await call("DELETE", `/_emulator/recordings/${uuid}/video/edited`)
  }
})
