import { ServiceConfig } from "@tapedeck/core"
import { Context } from "effect"
import { beforeAll, describe, expect, it } from "vitest"
import { BasePath } from "../src/index.ts"
import { ids } from "./fixtures.ts"
import { handler, makeWorld, type TestWorld } from "./world.ts"

let world: TestWorld
beforeAll(async () => {
  world = await makeWorld()
})

const anybody = { as: null }

describe("the public page (W12)", () => {
  it("shows the recording to anybody, without scripts", async () => {
    const { status, headers, body } = await world.ask(`/r/${ids.bobs}`, anybody)
    expect(status).toBe(200)
    expect(headers.get("content-type")).toBe("text/html; charset=utf-8")
    expect(headers.get("content-security-policy")).toContain("default-src 'none'")
    expect(body).toContain("<h1>Checkout fails</h1>")
    expect(body).toContain(`src="${ids.bobs}/video"`)
    expect(body).not.toContain("<script")
  })

  it("counts a view at each GET, and none at HEAD", async () => {
    const views = async () =>
      (await world.ask(`/api/v2/recordings/${ids.adas}`)).body.metadata.impressions_count as number
    const before = await views()
    await world.ask(`/r/${ids.adas}`, { ...anybody, method: "HEAD" })
    expect(await views()).toBe(before)
    await world.ask(`/r/${ids.adas}`, anybody)
    await world.ask(`/r/${ids.adas.toUpperCase()}`, anybody)
    expect(await views()).toBe(before + 2)
  })

  it("escapes what people wrote", async () => {
    const recording = { title: '<script>alert("1")</script>', description: "</p><img src=x onerror=1>" }
    await world.ask(`/api/v2/recordings/${ids.freshchat}`, { json: { recording } })
    const { body } = await world.ask(`/r/${ids.freshchat}`, anybody)
    expect(body).toContain("&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;")
    expect(body).not.toMatch(/<script|<img/)
    expect((await world.ask(`/r/${ids.freshchat}/thumbnail`, anybody)).body).not.toContain("<script")
  })

  it("says so when there is no such recording", async () => {
    const { status, body } = await world.ask(`/r/${ids.unknown}`, anybody)
    expect(status).toBe(404)
    expect(body).toContain("Recording not found")
  })

  it("plays the video, in ranges too", async () => {
    const whole = await world.ask(`/r/${ids.bobs}/video`, anybody)
    expect(whole.body).toBe("0123456789")
    expect(whole.headers.get("content-type")).toBe("video/mp4")
    expect(whole.headers.get("content-disposition")).toBe("inline")
    const part = await world.ask(`/r/${ids.bobs}/video`, { ...anybody, headers: { range: "bytes=2-3" } })
    expect([part.status, part.body]).toEqual([206, "23"])
    expect((await world.ask(`/r/${ids.adas}/video`, anybody)).status).toBe(409)
    expect((await world.ask(`/r/${ids.unknown}/video`, anybody)).status).toBe(404)
  })

  it("has a still, which is no view", async () => {
    const before = (await world.ask(`/api/v2/recordings/${ids.bobs}`)).body.metadata.impressions_count
    const { status, headers, body } = await world.ask(`/r/${ids.bobs}/thumbnail`, anybody)
    expect(status).toBe(200)
    expect(headers.get("content-type")).toBe("image/svg+xml; charset=utf-8")
    expect(body).toMatch(/^<svg /)
    expect((await world.ask(`/api/v2/recordings/${ids.bobs}`)).body.metadata.impressions_count).toBe(before)
    expect((await world.ask(`/r/${ids.unknown}/thumbnail`, anybody)).status).toBe(404)
  })
})

describe("the API's documents are public (R1, R21)", () => {
  it.each(["v1", "v2"])("/api/%s/openapi.json", async (version) => {
    const { status, headers, body } = await world.ask(`/api/${version}/openapi.json`, anybody)
    expect(status).toBe(200)
    expect(headers.get("content-type")).toBe("application/json")
    const document = JSON.parse(body)
    expect(document.openapi).toBe("3.1.0")
    expect(document.info.version).toBe(version === "v2" ? "2.0.0" : "1.0.0")
    expect(document.servers[0].url).toBe(`/api/${version}`)
  })

  it("tells the knobs of the world that is asked, and where it is mounted", async () => {
    const other = await makeWorld({ config: { vendor: "Zappy", pageSize: 7 } })
    const mounted = Context.add(other.context, BasePath, "/worlds/w1")
    const response = await handler(new Request("http://localhost/api/v2/openapi.json"), mounted)
    const document = JSON.parse(await response.text())
    expect(document.components.schemas.Platform.enum).toContain("zappy")
    expect(document.info.description).toContain("7 records a page")
    expect(document.servers[0].url).toBe("/worlds/w1/api/v2")
  })

  it("/api/docs shows every operation, without the network", async () => {
    const { status, headers, body } = await world.ask("/api/docs", anybody)
    expect(status).toBe(200)
    expect(headers.get("content-type")).toBe("text/html; charset=utf-8")
    for (const operation of ["listRecordings", "updateRecording", "downloadRecording", "getTranscript", "searchUser"]) {
      expect(body).toContain(`id="v2-${operation}"`)
    }
    expect(body).toContain('id="v1-listRecordings"')
    expect(body).not.toMatch(/(src|href)="(https?:)?\/\//)
  })
})

describe("one app", () => {
  it("serves each request from the world that it brings", async () => {
    const other = await makeWorld({ fixtures: { ...{ accounts: [{ name: "Empty" }] }, users: [] } })
    expect((await other.ask("/api/v2/recordings")).status).toBe(401)
    expect((await world.ask("/api/v2/recordings")).status).toBe(200)
    expect(Context.get(world.context, ServiceConfig)).not.toBe(Context.get(other.context, ServiceConfig))
  })

  it("answers a defect with 500 and nothing of its cause; the log has it, under the request's id (R3)", async () => {
    const { context, defects } = await makeWorld()
    const broken = Context.add(context, ServiceConfig, undefined as never)
    const ask = async (path: string) => {
      const headers = { authorization: "Bearer ada-token" }
      const response = await handler(new Request(`http://localhost${path}`, { headers }), broken)
      return { status: response.status, id: response.headers.get("x-request-id"), body: await response.json() }
    }
    expect(await ask("/api/v2/recordings")).toMatchObject({ status: 500, body: { error: "Internal server error" } })
    expect(await ask("/api/v1/recordings")).toMatchObject({
      status: 500,
      body: { error: { message: "Internal server error", code: 500 } }
    })
    const last = await ask("/api/v2/recordings")
    expect(defects).toHaveLength(3)
    expect(defects[2]).toContain("wireRecording")
    expect(JSON.parse(defects[2] ?? "").annotations).toEqual({ request_id: last.id, method: "GET" })
    expect(JSON.stringify(defects)).not.toContain("ada-token")
  })

  it("tells its log of every request, refused ones too", async () => {
    const quiet = await makeWorld()
    await quiet.ask("/api/v2/recordings?page=2", { as: "bob" })
    await quiet.ask("/api/v1/recordings", { as: null })
    await quiet.ask(`/r/${ids.bobs}`, anybody)
    expect(quiet.log.map(({ method, url, status, caller }) => [method, url, status, caller?.user.email])).toEqual([
      ["GET", "/api/v2/recordings?page=2", 200, "bob@acme.test"],
      ["GET", "/api/v1/recordings", 401, undefined],
      ["GET", `/r/${ids.bobs}`, 200, undefined]
    ])
  })
})
