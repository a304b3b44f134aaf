import { describe, expect, it } from "vitest"
import { adas, aVideo, bobs, makePlace, patch, type Running, tus, uploadsOf, videoOf } from "./trial.ts"

const begin = (server: Running, sizeBytes: number, { as = "bob", recording = bobs } = {}) =>
  server.ask("POST", uploadsOf(recording), { as, headers: { ...tus, "upload-length": String(sizeBytes) } })

const statusesOf = (answers: ReadonlyArray<Response>) => answers.map(({ status }) => status).sort()

const refused = async (answer: Response, error: string) => {
  expect([answer.status, await answer.json()]).toEqual([409, { error }])
}

const uploadsMessage = "A member may have 2 uploads in progress at most (quota_uploads)"
const bytesMessage = "The files of a member's recordings may have 1000 bytes together at most (quota_bytes)"

describe("a member's quota of uploads", () => {
  it("allows that number in progress, and answers 409 with its name to one more, also after a restart", async () => {
    const place = makePlace()
    const first = await place.start("--quota-uploads", "2")
    const paths = [await begin(first, 100), await begin(first, 100)].map((answer) => answer.headers.get("location")!)
    await refused(await begin(first, 100), uploadsMessage)
    expect((await begin(first, 100, { as: "ada", recording: adas })).status).toBe(201)
    await first.stop()

    const second = await place.start("--quota-uploads", "2")
    await refused(await begin(second, 100), uploadsMessage)
    expect((await second.ask("DELETE", paths[0]!, { headers: tus })).status).toBe(204)
    expect((await begin(second, 100)).status).toBe(201)
    await refused(await begin(second, 100), uploadsMessage)
    const finished = await second.ask("PATCH", paths[1]!, { headers: patch(0), body: new Uint8Array(aVideo(100)) })
    expect(finished.status).toBe(204)
    expect((await begin(second, 100)).status).toBe(201)
  })

  it("holds for concurrent uploads", async () => {
    const server = await makePlace().start("--quota-uploads", "2")
    const answers = await Promise.all(Array.from({ length: 10 }, () => begin(server, 100)))
    expect(statusesOf(answers)).toEqual([201, 201, ...Array<number>(8).fill(409)])
  })

  it("does not limit an admin, and limits no member if it is off", async () => {
    const place = makePlace()
    const limited = await place.start("--quota-uploads", "1")
    const asAda = { as: "ada", recording: adas }
    expect(statusesOf([await begin(limited, 9, asAda), await begin(limited, 9, asAda)])).toEqual([201, 201])
    await limited.stop()
    const unlimited = await place.start()
    expect(statusesOf([await begin(unlimited, 9), await begin(unlimited, 9)])).toEqual([201, 201])
  })
})

describe("a member's quota of bytes", () => {
  it("refuses an upload beyond it at its start, or at its end", async () => {
    const server = await makePlace().start("--quota-bytes", "1000")
    await refused(await begin(server, 1001), bytesMessage)
    const racing = [await begin(server, 1000), await begin(server, 1000)].map(
      (answer) => answer.headers.get("location")!
    )
    const body = () => new Uint8Array(aVideo(1000))
    // The second takes the first one's place: as many bytes as before.
    for (const path of racing)
      expect((await server.ask("PATCH", path, { headers: patch(0), body: body() })).status).toBe(204)

    const late = (await begin(server, 1000)).headers.get("location")!
    const edited = await server.ask("PUT", `${videoOf(bobs)}?version=edited`, { body: body() })
    await refused(edited, bytesMessage)
    expect((await server.ask("DELETE", late, { headers: tus })).status).toBe(204)
  })

  it("refuses and removes an upload that exceeds it because another one was completed first", async () => {
    const place = makePlace()
    const server = await place.start("--quota-bytes", "1000")
    const asked = { method: "POST", headers: { "content-type": "application/json" }, body: "{}" }
    const made = await server.ask("POST", "/api/settings/recordings", asked)
    const { uuid } = (await made.json()) as { readonly uuid: string }
    const path = (await begin(server, 600, { recording: uuid })).headers.get("location")!
    expect((await server.ask("PUT", videoOf(bobs), { body: new Uint8Array(aVideo(600)) })).status).toBe(200)
    const late = await server.ask("PATCH", path, { headers: patch(0), body: new Uint8Array(aVideo(600)) })
    await refused(late, bytesMessage)
    expect((await server.ask("HEAD", path, { headers: tus })).status).toBe(404)
  })
})
