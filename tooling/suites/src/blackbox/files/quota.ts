import { beforeAll, beforeEach, describe, expect, test } from "vitest"
import { ada, uuid } from "../../support/acme.ts"
import { type Begun, below } from "../../support/captures.ts"
import type { ServerOptions } from "../../support/server.ts"
import { blackbox, bodyOf, type Running, refusalV2, type Target } from "../../support/target.ts"
import type { TargetNames } from "../targets.ts"

/** A member for each test, since a quota is a member's. */
const members = Array.from({ length: 12 }, (_, index) => ({
  id: index + 2,
  email: `bob${index}@acme.test`,
  name: "Bob",
  role: "member",
  token: `token-of-bob${index}`,
  recordings: [uuid(10 * index + 11), uuid(10 * index + 12)] as const
}))
const recordingOfAdmin = uuid(3)

const document = {
  users: [
    { id: 1, email: "ada@acme.test", name: "Ada", role: "admin", token: ada },
    ...members.map(({ recordings: _, ...user }) => user)
  ],
  recordings: [
    { uuid: recordingOfAdmin, user: "ada@acme.test" },
    ...members.flatMap(({ email, recordings }) => recordings.map((uuid) => ({ uuid, user: email })))
  ]
}

const settings = ["--quota-recordings", "3", "--quota-bytes", "1000"]

const recordingsMessage = "A member may have 3 recordings at most (quota_recordings)"
const bytesMessage = "The files of a member's recordings may have 1000 bytes together at most (quota_bytes)"

const webm = (sizeBytes: number): Buffer => {
  const bytes = Buffer.alloc(sizeBytes)
  Buffer.from("1a45dfa39f4286810142f7810142f2810442f381084282847765626d", "hex").copy(bytes)
  return bytes
}

export const targets: TargetNames = ["sqlite", "postgres"]
export const server: ServerOptions = { settings }

/** What a member may have at most, where the operator says so. Admins have no quota. */
export const suite = (target: Target): void =>
  blackbox(target, "A member's quota", () => {
    let running: Running
    beforeAll(async () => {
      running = await target.start(document)
    }, 60_000)
    let used = 0
    let bob: string
    let bobsEmail: string
    let recordings: readonly [string, string]
    beforeEach(() => {
      ;({ token: bob, email: bobsEmail, recordings } = members[used++]!)
    })

    const make = (token: string, json: object = { title: "Another" }) =>
      running.fetch("/api/settings/recordings", { method: "POST", token, json })
    const put = (sizeBytes: number, { of = recordings[0], token = bob, version = "original" } = {}) => {
      const init = { method: "PUT", token, body: webm(sizeBytes), headers: { "content-type": "video/webm" } }
      return running.fetch(`/api/settings/recordings/${of}/video?version=${version}`, init)
    }

    describe("of recordings", () => {
      test("allows a member that number, and answers 409 with its name to one more, before 422", async () => {
        bodyOf(await make(bob), 201)
        expect(refusalV2(await make(bob), 409)).toBe(recordingsMessage)
        expect(refusalV2(await make(bob, { title: 5 }), 409)).toBe(recordingsMessage)
        expect(
          (await running.fetch(`/api/settings/recordings/${recordings[0]}`, { method: "DELETE", token: bob })).status
        ).toBe(204)
        bodyOf(await make(bob), 201)
      })

      test("does not limit an admin, also for the member", async () => {
        for (let n = 0; n < 4; n++) bodyOf(await make(ada), 201)
        for (let n = 0; n < 2; n++) bodyOf(await make(ada, { user: bobsEmail }), 201)
        expect(refusalV2(await make(bob), 409)).toBe(recordingsMessage)
      })

      test("holds for concurrent requests", async () => {
        const answers = await Promise.all(Array.from({ length: 8 }, () => make(bob)))
        expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(7).fill(409)])
      })
    })

    describe("of recordings and bytes, by captures", () => {
      const linkOf = async (token: string) => {
        const json = { max_uses: null }
        const made = await running.fetch("/api/settings/capture-links", { method: "POST", token, json })
        return bodyOf<{ url: string }>(made, 201).url.split("/c/")[1]!
      }
      const byLink = (link: string) => running.fetch(`/api/capture/links/${link}/captures`, { method: "POST" })
      const byAgent = (token: string) =>
        running.fetch("/api/settings/captures", { method: "POST", token, json: { title: "Mine" } })

      /** An upload of a capture: sends bytes, 413 beyond a quota. */
      const uploadOf = async ({ capture_token, video_url }: Begun) => {
        const headers = { authorization: `Capture ${capture_token}`, "tus-resumable": "1.0.0" }
        const created = await running.fetch(below(running, video_url), {
          method: "POST",
          headers: { ...headers, "upload-defer-length": "1" }
        })
        expect(created.status).toBe(201)
        const location = below(running, created.header("location")!)
        const append = (offset: number, sizeBytes: number) => {
          const more = { "content-type": "application/offset+octet-stream", "upload-offset": String(offset) }
          const body = offset === 0 ? webm(sizeBytes) : Buffer.alloc(sizeBytes, 7)
          return running.fetch(location, { method: "PATCH", headers: { ...headers, ...more }, body })
        }
        return append
      }
      const finish = async ({ capture_token, finish_url }: Begun) =>
        bodyOf(
          await running.fetch(below(running, finish_url), {
            method: "POST",
            headers: { authorization: `Capture ${capture_token}` }
          })
        )

      test("does not begin one more recording, by a member's link or by the member", async () => {
        const link = await linkOf(bob)
        bodyOf(await byLink(link), 201)
        expect(refusalV2(await byLink(link), 409)).toBe(recordingsMessage)
        expect(refusalV2(await byAgent(bob), 409)).toBe(recordingsMessage)
        for (let n = 0; n < 4; n++) bodyOf(await byAgent(ada), 201)
        bodyOf(await byLink(await linkOf(ada)), 201)
      })

      test("begins only as many as it may of concurrent captures", async () => {
        const link = await linkOf(bob)
        const answers = await Promise.all(Array.from({ length: 8 }, (_, n) => (n % 2 ? byLink(link) : byAgent(bob))))
        expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(7).fill(409)])
      })

      test("counts the bytes of all captures of a member while they come, and keeps those within it", async () => {
        await running.fetch(`/api/settings/recordings/${recordings[0]}`, { method: "DELETE", token: bob })
        const captures = [bodyOf<Begun>(await byLink(await linkOf(bob)), 201), bodyOf<Begun>(await byAgent(bob), 201)]
        const [one, two] = [await uploadOf(captures[0]!), await uploadOf(captures[1]!)]
        expect((await one(0, 600)).status).toBe(204)
        expect((await two(0, 300)).status).toBe(204)
        const racing = await Promise.all([one(600, 100), two(300, 100)])
        expect(racing.map(({ status }) => status).sort()).toEqual([204, 413])
        expect(refusalV2(racing.find(({ status }) => status === 413)!, 413)).toBe(bytesMessage)
        expect(refusalV2(await put(1, { of: recordings[1] }), 409)).toBe(bytesMessage)
        for (const capture of captures) await finish(capture)
        expect(refusalV2(await put(1, { of: recordings[1] }), 409)).toBe(bytesMessage)
      })

      test("does not begin a capture, or an upload of a declared length, for which no bytes are left", async () => {
        const capture = bodyOf<Begun>(await byAgent(bob), 201)
        const headers = {
          authorization: `Capture ${capture.capture_token}`,
          "tus-resumable": "1.0.0",
          "upload-length": "1001"
        }
        const declared = await running.fetch(below(running, capture.video_url), { method: "POST", headers })
        expect(refusalV2(declared, 413)).toBe(bytesMessage)
        bodyOf(await put(1000))
        const discard = below(running, `/captures/${capture.id}`)
        await running.fetch(discard, { method: "DELETE", headers: { authorization: headers.authorization } })
        expect(refusalV2(await byAgent(bob), 409)).toBe(bytesMessage)
        expect(refusalV2(await byLink(await linkOf(bob)), 409)).toBe(bytesMessage)
      })
    })

    describe("of bytes", () => {
      test("allows a member's files that total, and answers 409 with its name to one more byte", async () => {
        bodyOf(await put(600))
        expect(refusalV2(await put(401, { of: recordings[1] }), 409)).toBe(bytesMessage)
        bodyOf(await put(400, { of: recordings[1] }))
        expect(refusalV2(await put(28, { of: recordings[1], version: "edited" }), 409)).toBe(bytesMessage)
      })

      test("counts a replacement by the difference in size", async () => {
        bodyOf(await put(1000))
        bodyOf(await put(900))
        bodyOf(await put(100, { version: "edited" }))
        expect(refusalV2(await put(101, { version: "edited" }), 409)).toBe(bytesMessage)
        bodyOf(await put(1000))
        expect(refusalV2(await put(1001), 409)).toBe(bytesMessage)
      })

      test("does not limit admins", async () => {
        bodyOf(await put(2000, { of: recordingOfAdmin, token: ada }))
        bodyOf(await put(2000, { token: ada }))
        expect(refusalV2(await put(100, { of: recordings[1] }), 409)).toBe(bytesMessage)
      })

      test("holds for concurrent uploads, and refused ones leave nothing", async () => {
        const racing = recordings.flatMap((of) =>
          ["original", "processed", "edited"].map((version) => ({ of, version }))
        )
        const answers = await Promise.all(racing.map((place) => put(400, place)))
        const statuses = answers.map(({ status }) => status)
        expect(statuses.filter((status) => status !== 200 && status !== 409)).toEqual([])
        const sizes = await Promise.all(
          recordings.map(async (recording) => {
            const answer = await running.fetch(`/api/settings/recordings/${recording}`, { token: bob })
            const { video } = bodyOf<{ video: Record<string, { size_bytes: number } | null> }>(answer)
            return Object.values(video).reduce((sum, file) => sum + (file?.size_bytes ?? 0), 0)
          })
        )
        const stored = sizes[0]! + sizes[1]!
        expect(stored).toBeLessThanOrEqual(1000)
        expect(stored).toBeGreaterThan(0)
      })
    })
  })
