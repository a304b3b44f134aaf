import { existsSync, readdirSync } from "node:fs"
import type { Caller } from "@tapedeck/core"
import { defaultServiceConfig, ServiceConfig, VideoUploads } from "@tapedeck/core"
import type { CoreServices } from "@tapedeck/http"
import { Context, Effect, Stream } from "effect"
import { expect, it } from "vitest"
import { makeTus } from "../../src/uploads/tus.ts"
import { UploadFolder } from "../../src/uploads/UploadFolder.ts"
import { temporaryFolder } from "../support/command.ts"
import { aVideo, bobs, patch, tus, uploadsOf } from "./trial.ts"

/** Requests on one upload while its bytes become the recording's file: a gate holds that moment open. */

const file = aVideo(5_000)
const lastOffset = 4_000
const caller = { user: { id: 2, role: "member" } } as unknown as Caller

const makeTrial = async () => {
  const path = temporaryFolder()
  const folder = new UploadFolder(path)
  const began = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  const received: Array<Uint8Array> = []
  const settings = {
    admit: () => Effect.void,
    upload: (_caller: Caller, _uuid: string, { bytes }: { readonly bytes: Stream.Stream<Uint8Array> }) =>
      Effect.gen(function* () {
        began.resolve()
        yield* Effect.promise(() => gate.promise)
        received.push(Buffer.concat(yield* Stream.runCollect(bytes)))
      })
  }
  const services = Context.make(VideoUploads, settings as never).pipe(
    Context.add(ServiceConfig, defaultServiceConfig)
  ) as unknown as Context.Context<CoreServices>
  const handle = makeTus(folder, { now: () => 0, expiresAfterMs: 3_600_000, ranOut: Effect.void })
  const ask = (method: string, uploadId: string | null, headers: Record<string, string>, body?: Uint8Array) =>
    handle({
      caller,
      recordingUuid: bobs,
      uploadId,
      maxBytes: 1e9,
      path: uploadsOf(bobs),
      services,
      web: new Request(`http://localhost${uploadsOf(bobs)}`, {
        method,
        headers,
        ...(body !== undefined && { body: new Uint8Array(body) })
      })
    })
  const created = await ask("POST", null, { ...tus, "upload-length": String(file.length) })
  const id = created.headers.get("location")!.split("/").at(-1)!
  expect((await ask("PATCH", id, patch(0), file.subarray(0, lastOffset))).status).toBe(204)
  return {
    folder,
    id,
    began: began.promise,
    release: gate.resolve,
    received,
    left: () => readdirSync(path),
    head: () => ask("HEAD", id, tus),
    remove: () => ask("DELETE", id, tus),
    append: (offset: number) => ask("PATCH", id, patch(offset), file.subarray(offset))
  }
}

it("the last piece sent twice at once, beside HEADs, is 204 and 409, and finishes the upload once", async () => {
  const { append, began, head, received, release } = await makeTrial()
  const first = append(lastOffset)
  await began
  const second = append(lastOffset)
  const heads = [head(), head(), head()]
  const nothing = append(file.length)
  release()
  expect((await first).status).toBe(204)
  expect((await second).status).toBe(409)
  expect((await nothing).status).toBe(204)
  for (const answer of await Promise.all(heads)) {
    expect([answer.status, answer.headers.get("upload-offset")]).toEqual([200, String(file.length)])
  }
  expect(received).toEqual([file])
})

it("DELETE while the last piece is made the recording's file waits for it, and leaves nothing of the upload", async () => {
  const { append, began, folder, head, id, left, received, release, remove } = await makeTrial()
  const last = append(lastOffset)
  await began
  const removed = remove()
  // More steps than DELETE takes if it does not wait.
  for (let step = 0; step < 200 && existsSync(folder.bytesOf(id)); step++) await folder.info(id)
  release()
  expect([(await last).status, (await removed).status]).toEqual([204, 204])
  expect(received).toEqual([file])
  expect((await head()).status).toBe(404)
  expect(left()).toEqual([])
})
