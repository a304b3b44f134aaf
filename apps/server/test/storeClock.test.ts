import { describe, expect, it } from "vitest"
import { follow, freePort, provider, settings } from "./support/oidc.ts"
import { asAdmin, recording, startedWith } from "./support/people.ts"
import { servedAhead } from "./support/storeClock.ts"
import { aVideo, patch, tus, uploadsOf } from "./uploads/trial.ts"

const dayMs = 24 * 3_600_000

describe("A server whose store's clock differs from the machine's", () => {
  it.each([3 * dayMs, -3 * dayMs])("announces and ends uploads by the store's clock: %i ms ahead", async (ahead) => {
    const origin = await servedAhead(ahead, { fixtures: startedWith().at(-1)! })
    const ask = (method: string, path: string, headers: Record<string, string>, body?: Uint8Array) =>
      fetch(`${origin}${path}`, { method, headers: { ...asAdmin, ...headers }, ...(body && { body }) })
    const begunAt = Date.now() + ahead
    const begun = await ask("POST", uploadsOf(recording), { ...tus, "upload-length": "100" })
    const expires = Date.parse(begun.headers.get("upload-expires")!)
    expect(expires).toBeGreaterThanOrEqual(begunAt + dayMs - 1_000)
    expect(expires).toBeLessThanOrEqual(Date.now() + ahead + dayMs)
    const path = begun.headers.get("location")!
    expect((await ask("HEAD", path, tus)).status).toBe(200)
    const video = aVideo(100)
    const some = await ask("PATCH", path, patch(0), video.subarray(0, 60))
    expect([some.status, some.headers.get("upload-expires")]).toEqual([204, begun.headers.get("upload-expires")])
    const last = await ask("PATCH", path, patch(60), video.subarray(60))
    expect([last.status, last.headers.get("upload-expires")]).toEqual([204, null])
  })

  it.each([dayMs, -dayMs])("judges the times of ID tokens by the store's clock: %i ms ahead", async (ahead) => {
    const { issuer, say } = await provider({})
    const sayAt = (ms: number) => {
      const at = Math.floor(ms / 1_000)
      say({ email: "ada@acme.test", email_verified: true, iat: at, nbf: at, exp: at + 300 })
    }
    const fixtures = startedWith().at(-1)!
    const base = await servedAhead(ahead, { fixtures, port: await freePort(), environment: settings(issuer) })
    sayAt(Date.now() + ahead)
    expect((await follow(`${base}/sign-in/oidc`)).at).toBe(`${base}/`)
    sayAt(Date.now())
    expect(await follow(`${base}/sign-in/oidc`)).toMatchObject({ status: 401 })
  })
})
