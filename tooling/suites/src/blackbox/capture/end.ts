import { afterAll, beforeAll, expect, test } from "vitest"
import { acme, ada, bob } from "../../support/acme.ts"
import { type Begun, boom, captureCalls, header, lines } from "../../support/captures.ts"
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

    test("of an agent sets ticket and folder, unless a user has; a customer may set neither", async () => {
      const [folder, other] = await Promise.all(
        ["Review", "Other"].map(async (name) =>
          bodyOf<{ id: string }>(await settings("POST", "/folders", { name }), 201)
        )
      )
      const start = async () => bodyOf<Begun>(await settings("POST", "/captures", {}, bob), 201)
      const said = {
        helpdesk: { platform: "jira", ticket_id: "SUP-7" },
        folder_id: folder!.id,
        customer: { email: "kim@example.com" }
      }
      const free = await start()
      expect(refusalV2(await finish(free, { ...said, folder_id: "elsewhere" }), 422)).toContain("folder_id")
      expect(refusalV2(await finish(free, { helpdesk: { platform: "jura" } }), 422)).toContain("helpdesk.platform")
      bodyOf(await finish(free, said))
      // A repeat ends as before, also if its folder was deleted since.
      bodyOf(await finish(free, { ...said, folder_id: "elsewhere" }))
      expect(bodyOf(await recording(free))).toMatchObject({
        folder_id: folder!.id,
        customer: { email: "kim@example.com" },
        metadata: { helpdesk_info: { platform: "jira", issue_id: "SUP-7" } }
      })
      const written = await start()
      const path = `/recordings/${written.recording_uuid}`
      bodyOf(await settings("PATCH", path, { helpdesk: { platform: "zendesk", ticket_id: "4711" } }))
      bodyOf(await settings("PUT", `${path}/folder`, { folder_id: other!.id }))
      bodyOf(await finish(written, said))
      expect(bodyOf(await recording(written))).toMatchObject({
        folder_id: other!.id,
        metadata: { helpdesk_info: { platform: "zendesk", ticket_id: "4711", issue_id: null } }
      })
      const customers = await begin()
      expect(refusalV2(await finish(customers, said), 422)).toBe(
        "helpdesk can be set for a capture of an agent only; folder_id can be set for a capture of an agent only"
      )
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
