import { expect, it } from "vitest"
import { makeWorld } from "./world.ts"

/** What the tus protocol 1.0.0 demands of the answers to a capture's uploads. */

const tus = { "tus-resumable": "1.0.0" }
const bytes = (offset: number) => ({
  ...tus,
  "content-type": "application/offset+octet-stream",
  "upload-offset": String(offset)
})

const makeTrial = async () => {
  const { fetch } = await makeWorld()
  const link = await fetch("/api/settings/capture-links", { method: "POST", json: {} })
  const { url } = (await link.json()) as { url: string }
  const begun = await fetch(`/api/capture/links/${url.split("/c/")[1]}/captures`, { as: null, method: "POST" })
  const { capture_token, video_url } = (await begun.json()) as { capture_token: string; video_url: string }
  const ask = (method: string, path: string, headers: Record<string, string>, body?: string) =>
    fetch(path, {
      as: null,
      method,
      headers: { authorization: `Capture ${capture_token}`, ...headers },
      ...(body !== undefined && { body })
    })
  const created = await ask("POST", video_url, { ...tus, "upload-length": "8" })
  expect(created.status).toBe(201)
  return {
    ask,
    path: created.headers.get("location")!,
    place: video_url,
    expires: created.headers.get("upload-expires")
  }
}

it("has Tus-Resumable and Cache-Control: no-store in each answer, refusals included", async () => {
  const { ask, path, place } = await makeTrial()
  const answers = [
    await ask("HEAD", path, tus),
    await ask("PATCH", path, bytes(1), "x"),
    await ask("PATCH", `${place}/unknown`, bytes(0), "x"),
    await ask("HEAD", path, { ...tus, authorization: "Capture none" }),
    await ask("PUT", path, tus),
    await ask("GET", path, tus),
    await ask("POST", place, tus),
    await ask("HEAD", path, { "tus-resumable": "0.2.2" })
  ]
  expect(answers.map(({ status }) => status)).toEqual([200, 409, 404, 401, 405, 405, 400, 412])
  for (const { headers, status } of answers) {
    expect([status, headers.get("tus-resumable"), headers.get("cache-control")]).toEqual([status, "1.0.0", "no-store"])
    expect(headers.has("upload-offset")).toBe(status === 200)
  }
})

it("has Upload-Expires in the answer to PATCH, as in that to POST", async () => {
  const { ask, expires, path } = await makeTrial()
  const answer = await ask("PATCH", path, bytes(0), "four")
  expect([answer.status, answer.headers.get("upload-offset")]).toEqual([204, "4"])
  expect(expires).not.toBeNull()
  expect(answer.headers.get("upload-expires")).toBe(expires)
})

it("takes X-HTTP-Method-Override for the method, whatever the actual one is", async () => {
  const { ask, path, place } = await makeTrial()
  const as = (method: string) => ({ "x-http-method-override": method })
  expect((await ask("PUT", path, { ...bytes(0), ...as("PATCH") }, "four")).status).toBe(204)
  const head = await ask("DELETE", path, { ...tus, ...as("HEAD") })
  expect([head.status, head.headers.get("upload-offset")]).toEqual([200, "4"])
  const unknown = await ask("DELETE", path, { ...tus, ...as("TRACE") })
  expect([unknown.status, unknown.headers.get("allow")]).toEqual([405, "DELETE, HEAD, OPTIONS, PATCH"])
  expect((await ask("PUT", place, { ...tus, "upload-length": "8", ...as("POST") })).status).toBe(201)
  expect((await ask("POST", path, { ...tus, ...as("DELETE") })).status).toBe(204)
  expect((await ask("HEAD", path, tus)).status).toBe(404)
})

it("takes metadata of 1,024 characters, and refuses one more by name", async () => {
  const { ask, place } = await makeTrial()
  const create = (length: number) =>
    ask("POST", place, { ...tus, "upload-length": "8", "upload-metadata": `x ${"A".repeat(length - 2)}` })
  expect((await create(1_024)).status).toBe(201)
  const refused = await create(1_025)
  expect([refused.status, await refused.json()]).toEqual([
    400,
    { error: "upload-metadata must be at most 1024 characters long" }
  ])
})
