import { expect, it } from "vitest"
import { ids } from "./fixtures.ts"
import { makeWorld } from "./world.ts"

const tus = { "tus-resumable": "1.0.0" }
const place = `/api/settings/recordings/${ids.bobs}/uploads`

const makeTrial = async () => {
  const { fetch } = await makeWorld()
  const ask = async (method: string, path: string, headers: Record<string, string>) => {
    const response = await fetch(path, { as: "bob", method, headers: { ...tus, ...headers } })
    const text = await response.text()
    return { status: response.status, headers: response.headers, error: text === "" ? null : JSON.parse(text).error }
  }
  return { ask, create: (headers: Record<string, string>) => ask("POST", place, { "upload-length": "8", ...headers }) }
}

it("accepts 16,384 characters of Upload-Metadata and returns them, and refuses one more", async () => {
  const { ask, create } = await makeTrial()
  const metadata = `a${"b".repeat(16_383)}`
  const created = await create({ "upload-metadata": metadata })
  expect(created.status).toBe(201)
  const head = await ask("HEAD", created.headers.get("location")!, {})
  expect([head.status, head.headers.get("upload-metadata")]).toEqual([200, metadata])
  const error = "Upload-Metadata must be at most 16384 characters long"
  expect(await create({ "upload-metadata": `${metadata}c` })).toMatchObject({ status: 400, error })
})

it("names all invalid headers of a request", async () => {
  const { create } = await makeTrial()
  expect(await create({ "upload-length": "x", "upload-metadata": "a !", "upload-checksum": "sha1" })).toMatchObject({
    status: 400,
    error: "Invalid upload-checksum upload-length upload-metadata"
  })
})

it("answers a concatenation with 501, because an upload uses one connection at a time", async () => {
  const { create } = await makeTrial()
  expect(await create({ "upload-concat": "partial" })).toMatchObject({
    status: 501,
    error: expect.stringContaining("Disable parallel uploads")
  })
})
