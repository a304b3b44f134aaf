import { afterAll, beforeAll, expect, test } from "vitest"
import { acme, ada, bob, uuid } from "../../support/acme.ts"
import { blackbox, bodyOf, type Running, refusalV2, type Target } from "../../support/target.ts"
import { onStores } from "../targets.ts"

/** Begins as ffmpeg begins a WebM; what follows is of no matter here. */
const webm = Buffer.concat([
  Buffer.from("1a45dfa39f4286810142f7810142f2810442f381084282847765626d428781024285810218538067", "hex"),
  Buffer.from("what a camera saw")
])

export const targets = onStores

/** The upload in one PUT (S2), on the emulator and on the server. */
export const suite = (target: Target): void =>
  blackbox(target, "uploads", () => {
    let running: Running
    beforeAll(async () => {
      const recordings = [1, 2, 3].map((n) => ({ uuid: uuid(n), user: "bob@acme.test" }))
      running = await target.start(acme({ recordings }))
    })
    afterAll(() => running.close())

    const put = (n: number, body: Buffer, type: string, token = bob) =>
      running.fetch(`/api/settings/recordings/${uuid(n)}/video`, {
        method: "PUT",
        token,
        headers: { "content-type": type },
        body
      })
    const download = (n: number) => running.fetch(`/api/v2/recordings/${uuid(n)}/download`, { token: ada })

    test("S2, R23: a video is served with the type of its bytes, whatever its declared type", async () => {
      bodyOf(await put(1, webm, "text/html"))
      const answer = await download(1)
      expect([answer.status, answer.header("content-type")], String(answer)).toEqual([200, "video/webm"])
      expect(answer.body.equals(webm)).toBe(true)
    })

    // The emulator takes what is no video for what it is declared: an integrator's tests need no camera.
    test("sixteen bytes that are no video are 422 on the server, and accepted by the emulator", async () => {
      const bytes = Buffer.from("sixteen bytes it")
      const answer = await put(2, bytes, "video/mp4")
      if (running.controlUrl === null) {
        expect(refusalV2(answer, 422)).toMatch(/no video/)
        refusalV2(await download(2), 409)
      } else {
        bodyOf(answer)
        const taken = await download(2)
        expect([taken.status, taken.header("content-type"), taken.text]).toEqual([200, "video/mp4", bytes.toString()])
      }
    })

    test("an upload replaces the previous one; an empty one is 400 and replaces nothing", async () => {
      bodyOf(await put(3, webm, "video/webm"))
      const other = Buffer.concat([webm, webm])
      bodyOf(await put(3, other, "video/webm", ada))
      refusalV2(await put(3, Buffer.alloc(0), "video/webm"), 400)
      expect((await download(3)).body.equals(other)).toBe(true)
    })
  })
