import { Upload } from "tus-js-client"
import { beforeAll, expect, test } from "vitest"
import { acme, ada, bob, uuid } from "../../support/acme.ts"
import { blackbox, bodyOf, type Running, refusalV2, type Target } from "../../support/target.ts"
import { webm as webmOf } from "../../support/webm.ts"
import { onStores } from "../targets.ts"

export const targets = onStores

const webm = webmOf(1_000)

const tus = { "tus-resumable": "1.0.0" }
const bytesAt = (offset: number) => ({
  ...tus,
  "upload-offset": String(offset),
  "content-type": "application/offset+octet-stream"
})

const document = acme({ recordings: [1, 2, 3].map((n) => ({ uuid: uuid(n), user: "bob@acme.test" })) })

const placeOf = (n: number) => `/api/settings/recordings/${uuid(n)}/uploads`

const makeUploads = (running: Running) => {
  const ask = (method: string, path: string, headers: Record<string, string> = tus, body?: Buffer, token = bob) =>
    running.fetch(path, { method, token, headers, ...(body !== undefined && { body }) })
  return {
    ask,
    create: async (n: number, sizeBytes: number) => {
      const answer = await ask("POST", placeOf(n), { ...tus, "upload-length": String(sizeBytes) })
      expect(answer.status, String(answer)).toBe(201)
      // The emulator's path begins with that of its world.
      const location = answer.header("location")!
      return { answer, path: location.slice(location.indexOf("/api/")) }
    }
  }
}

/** Uploads that can be resumed (tus 1.0), on the emulator and on the server. */
export const suite = (target: Target): void =>
  blackbox(target, "resumable uploads", () => {
    let running: Running
    let uploads: ReturnType<typeof makeUploads>
    beforeAll(async () => {
      running = await target.start(document)
      uploads = makeUploads(running)
      return () => running.close()
    })

    test("S2: a video that arrives in parts is the recording's, byte for byte", async () => {
      const { ask, create } = uploads
      const { answer, path } = await create(1, webm.length)
      expect(answer.header("upload-expires")).not.toBeNull()
      const first = await ask("PATCH", path, bytesAt(0), webm.subarray(0, 20))
      expect([first.status, first.header("upload-offset")], String(first)).toEqual([204, "20"])
      const head = await ask("HEAD", path)
      expect([head.status, head.header("upload-offset"), head.header("upload-length")]).toEqual([
        200,
        "20",
        String(webm.length)
      ])
      expect(refusalV2(await ask("PATCH", path, bytesAt(7), webm), 409)).toBe("Upload-Offset conflict")
      const last = await ask("PATCH", path, bytesAt(20), webm.subarray(20))
      expect([last.status, last.header("upload-offset")], String(last)).toEqual([204, String(webm.length)])
      const download = await running.fetch(`/api/v2/recordings/${uuid(1)}/download`, { token: ada })
      expect(download.body.equals(webm)).toBe(true)
      expect((await ask("HEAD", path)).header("upload-offset")).toBe(String(webm.length))
    })

    test("S2: tus-js-client uploads in parts, and goes on after it was stopped", async () => {
      const sent: Array<string> = []
      const upload = (uploadUrl: string | null, stopAfter: number) =>
        new Promise<string>((resolve, reject) => {
          const one: Upload = new Upload(webm, {
            ...(uploadUrl === null ? { endpoint: `${running.baseUrl}${placeOf(3)}` } : { uploadUrl }),
            headers: { authorization: `Bearer ${bob}` },
            chunkSize: 300,
            retryDelays: null,
            metadata: { filename: "call.webm", filetype: "video/webm" },
            onAfterResponse: (request, response) => void sent.push(`${request.getMethod()} ${response.getStatus()}`),
            onChunkComplete: (_size, accepted) => {
              if (accepted >= stopAfter) void one.abort().then(() => resolve(one.url!))
            },
            onSuccess: () => resolve(one.url!),
            onError: reject
          })
          one.start()
        })
      const url = await upload(null, 300)
      await upload(url, 1_000_000)
      expect(sent).toEqual(["POST 201", "PATCH 204", "HEAD 200", "PATCH 204", "PATCH 204", "PATCH 204"])
      const download = await running.fetch(`/api/v2/recordings/${uuid(3)}/download`, { token: ada })
      expect(download.body.equals(webm)).toBe(true)
    })

    test("C36: an upload is its creator's, until it is removed", async () => {
      const { ask, create } = uploads
      const { path } = await create(2, 100)
      refusalV2(await ask("PATCH", path, bytesAt(0), webm, ada), 404)
      expect((await ask("DELETE", path)).status).toBe(204)
      expect(refusalV2(await ask("PATCH", path, bytesAt(0), webm), 404)).toBe("The file for this url was not found")
      const recording = await running.fetch(`/api/settings/recordings/${uuid(2)}`, { token: bob })
      expect(bodyOf<{ video: { original: unknown } }>(recording).video.original).toBeNull()
    })
  })

/** The expiry of an upload, on the emulator's clock. */
export const suiteOnClock = (target: Target): void =>
  blackbox(target, "resumable uploads on the clock", () => {
    test("C36, upload_expiry: an upload expires a day after it was started", async () => {
      const running = await target.start(document)
      const { ask, create } = makeUploads(running)
      const { answer, path } = await create(3, 100)
      expect(answer.header("upload-expires")).toBe("Fri, 02 Jan 2026 00:00:00 GMT")
      const advance = async (by: string) =>
        bodyOf(await running.fetch("/_emulator/clock/advance", { method: "POST", json: { by } }))
      await advance("PT23H59M59S")
      expect((await ask("PATCH", path, bytesAt(0), webm.subarray(0, 20))).status).toBe(204)
      await advance("PT1S")
      expect(refusalV2(await ask("PATCH", path, bytesAt(20), webm), 410)).toBe("The file for this url no longer exists")
      await running.close()
    })
  })
