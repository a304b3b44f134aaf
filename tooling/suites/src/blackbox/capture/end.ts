import { afterAll, beforeAll, expect, test } from "vitest"
import { acme, ada } from "../../support/acme.ts"
import { boom, captureCalls, header, lines } from "../../support/captures.ts"
import { blackbox, bodyOf, type Running, refusalV2, type Target } from "../../support/target.ts"
import { webm } from "../../support/webm.ts"
import { onStores } from "../targets.ts"

export const targets = onStores

/** The end of captures, beside agents who write to their recordings: the same on the emulator and on the server. */
export const suite = (target: Target): void =>
  blackbox(target, "the end of a capture", () => {
    let running: Running
    beforeAll(async () => {
      running = await target.start(acme({}))
    })
    afterAll(() => running.close())

    const { append, begin, capture, create, finish, recording, settings } = captureCalls(() => running)

    test("that is open refuses a video and a log of an agent with 409, and leaves what the agent wrote when it is discarded", async () => {
      const begun = await begin({ title: "Show us", customer: { email: "eve@example.com" }, max_uses: null })
      const path = `/recordings/${begun.recording_uuid}`
      const put = (part: string, type: string, body: Buffer) =>
        running.fetch(`/api/settings${path}/${part}`, {
          method: "PUT",
          token: ada,
          headers: { "content-type": type },
          body
        })
      const log = Buffer.from(lines(header, boom))
      expect(refusalV2(await put("video", "video/webm", webm(500)), 409)).toContain("being captured")
      expect(refusalV2(await put("log", "application/x-ndjson", log), 409)).toContain("being captured")
      bodyOf(await settings("PATCH", path, { title: "Of the agent" }))
      await append(begun, await create(begun), 0, webm(1_000))
      expect((await capture("DELETE", `/captures/${begun.id}`, begun.capture_token)).status).toBe(204)
      expect(bodyOf(await recording(begun))).toMatchObject({ title: "Of the agent", video: { original: null } })
      bodyOf(await put("video", "video/webm", webm(500)))
      bodyOf(await put("log", "application/x-ndjson", log))
    })

    test("whose title and customer an agent has written keeps them at its end", async () => {
      const begun = await begin({ title: "Show us", customer: { email: "eve@example.com" }, max_uses: null })
      bodyOf(await settings("PATCH", `/recordings/${begun.recording_uuid}`, { title: "Of the agent" }))
      bodyOf(await finish(begun, { title: "It fails", customer: { email: "mal@example.com" }, note: "see 0:10" }))
      expect(bodyOf(await recording(begun))).toMatchObject({
        title: "Of the agent",
        description: "see 0:10",
        customer: { email: "eve@example.com" }
      })
    })

    test("takes no more when its recording is deleted", async () => {
      const begun = await begin()
      const location = await create(begun)
      expect((await append(begun, location, 0, webm(1_000))).status).toBe(204)
      expect((await settings("DELETE", `/recordings/${begun.recording_uuid}`)).status).toBe(204)
      refusalV2(await append(begun, location, 1_000, webm(1_000)), 401)
      refusalV2(await finish(begun), 401)
    })

    test("that is ended 20 times at once answers each time the same", async () => {
      const begun = await begin()
      await append(begun, await create(begun), 0, webm(1_300_000))
      const answers = await Promise.all(Array.from({ length: 20 }, () => finish(begun)))
      const done = { id: begun.id, recording_uuid: begun.recording_uuid, state: "finished" }
      expect(answers.map((answer) => bodyOf(answer))).toEqual(answers.map(() => done))
      expect(bodyOf(await recording(begun))).toMatchObject({ video: { original: { size_bytes: 1_300_000 } } })
    })
  })
