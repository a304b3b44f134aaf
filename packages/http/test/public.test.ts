import { createHash } from "node:crypto"
import { ServiceConfig, storeOf } from "@tapedeck/core"
import { Context, Effect } from "effect"
import { beforeAll, describe, expect, it } from "vitest"
import { AppOptions, defaultAppOptions } from "../src/index.ts"
import { ids } from "./fixtures.ts"
import { handler, makeWorld, type TestWorld } from "./world.ts"

let world: TestWorld
beforeAll(async () => {
  world = await makeWorld()
})

const signedOut = { as: null }

/** The page once this was imported. */
const importing = async (uuid: string, text: string, type = "text/vtt"): Promise<string> => {
  const path = `/api/settings/recordings/${uuid}/transcript/import`
  const imported = await world.ask(path, { method: "PUT", body: text, headers: { "content-type": type } })
  expect(imported.status).toBe(200)
  return (await world.ask(`/r/${uuid}`, signedOut)).body
}

describe("the public page (W12)", () => {
  it("shows the recording without authentication, with one script and one style, by their hashes, and no external content", async () => {
    const { status, headers, body } = await world.ask(`/r/${ids.bobs}`, signedOut)
    expect(status).toBe(200)
    expect(headers.get("content-type")).toBe("text/html; charset=utf-8")
    const policy = headers.get("content-security-policy") ?? ""
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toContain("unsafe")
    for (const [tag, rule] of [
      ["script", "script-src"],
      ["style", "style-src"]
    ]) {
      const parts = [...body.matchAll(new RegExp(`<${tag}>(.*?)</${tag}>`, "gs"))].map(([, part]) => part)
      expect(parts).toHaveLength(1)
      const hash = createHash("sha256").update(parts[0]).digest("base64")
      expect(policy).toContain(`${rule} 'sha256-${hash}';`)
    }
    expect(body).not.toMatch(/<(script|style)[^>]| style=| on\w+=|(src|href)="(https?:)?\/\//)
    expect(body).toContain('<h1 dir="auto">Checkout fails</h1>')
    expect(body).toContain(`src="${ids.bobs}/video"`)
  })

  it("has the transcript beside the video, with a button for the time of each segment", async () => {
    const body: string = (await world.ask(`/r/${ids.bobs}`, signedOut)).body
    const { segments } = (await world.ask(`/api/v2/recordings/${ids.bobs}/transcript`)).body
    const { pagination } = (await world.ask(`/api/v2/recordings/${ids.bobs}/transcript`)).body
    expect(body.match(/class="segment"/g)).toHaveLength(pagination.count)
    expect(body).toContain(`data-at="${segments[1].start_seconds}"`)
    expect(body.match(/<button [^>]*tabindex="-1"/g)).toHaveLength(pagination.count - 1)
  })

  it("shows the transcript without buttons and scripts if there is no video, or its status while it is made", async () => {
    const textOnly = await importing(ids.adas, "WEBVTT\n\n00:01.500 --> 00:02.000\nHello")
    expect(textOnly).toContain('<span dir="auto">Hello</span>')
    expect(textOnly).not.toMatch(/<button|<script|<video/)
    const made = await world.fetch("/api/settings/recordings", { method: "POST", json: { title: "New" } })
    const { uuid } = (await made.json()) as { readonly uuid: string }
    const path = `/r/${uuid}`
    expect((await world.ask(path, signedOut)).body).not.toContain("Transcript")
    expect((await world.ask(`${path}/captions`, signedOut)).body).toBe("WEBVTT\n")
    await world.ask(`/api/settings/recordings/${uuid}/transcript/request`, { method: "POST" })
    expect((await world.ask(path, signedOut)).body).toContain("The transcript is being made")
  })

  it("escapes text, speakers and language of a transcript", async () => {
    const hostile = '</ol></script><script>alert(1)</script><img src=x onerror="alert(2)">\'"&amp;'
    const document = {
      language: 'en" onclick="alert(3)',
      speaker_map: { 0: hostile, __proto__: "x" },
      segments: [
        { start_seconds: 0, text: hostile, sentences: [{ text: hostile, speaker: 0, start: '"><script>' }] },
        { start_seconds: 9, text: hostile, sentences: [{ speaker: "__proto__", text: { toString: 1 } }] }
      ]
    }
    const body = await importing(ids.freshchat, JSON.stringify(document), "application/json")
    const outside = body.replace(/<script>\(\(\) => .*?<\/script>/s, "")
    expect(outside).not.toMatch(/<script|<img|onerror="|onclick="/)
    expect(body).toContain("&lt;/ol&gt;&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt;")
    const captions = await world.ask(`/r/${ids.freshchat}/captions`, signedOut)
    expect(captions.headers.get("content-type")).toBe("text/vtt; charset=utf-8")
    expect(captions.body).not.toMatch(/<script|<img/)
  })

  it("has captions, which do not count as a view", async () => {
    const { status, body } = await world.ask(`/r/${ids.bobs}/captions`, signedOut)
    expect([status, body.slice(0, 8)]).toEqual([200, "WEBVTT\n\n"])
    expect(body).toMatch(/^\d\d:\d\d:\d\d\.\d{3} --> \d\d:\d\d:\d\d\.\d{3}$/m)
    expect((await world.ask(`/r/${ids.unknown}/captions`, signedOut)).status).toBe(404)
  })

  it("counts a view at each GET, and none at HEAD", async () => {
    const views = async () =>
      (await world.ask(`/api/v2/recordings/${ids.adas}`)).body.metadata.impressions_count as number
    const before = await views()
    await world.ask(`/r/${ids.adas}`, { ...signedOut, method: "HEAD" })
    expect(await views()).toBe(before)
    await world.ask(`/r/${ids.adas}`, signedOut)
    await world.ask(`/r/${ids.adas.toUpperCase()}`, signedOut)
    expect(await views()).toBe(before + 2)
  })

  it("escapes titles and descriptions", async () => {
    const recording = { title: '<script>alert("1")</script>', description: "</p><img src=x onerror=1>" }
    await world.ask(`/api/v2/recordings/${ids.freshchat}`, { json: { recording } })
    const { body } = await world.ask(`/r/${ids.freshchat}`, signedOut)
    expect(body).toContain("&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;")
    expect(body).not.toMatch(/<script|<img/)
    expect((await world.ask(`/r/${ids.freshchat}/thumbnail`, signedOut)).body).not.toContain("<script")
  })

  it("gives a title, a description, a transcript and its speakers their own direction of writing, and a drawn still too", async () => {
    const recording = { title: "שלום", description: "تجربة\nabc" }
    await world.ask(`/api/v2/recordings/${ids.freshchat}`, { json: { recording } })
    const body = await importing(ids.freshchat, "WEBVTT\n\n00:01.500 --> 00:02.000\n<v דנה>שלום!</v>")
    expect(body).toContain('<title dir="auto">שלום</title>')
    expect(body).toContain('<h1 dir="auto">שלום</h1>')
    expect(body).toContain('<p dir="auto">تجربة\nabc</p>')
    expect(body).toContain('<span dir="auto"><b><bdi dir="auto">דנה</bdi>:</b> שלום!</span>')
    const still = (await world.ask(`/r/${ids.freshchat}/thumbnail`, signedOut)).body
    expect(still).toContain('<title dir="auto">שלום</title>')
  })

  it("shows an error page for an unknown recording", async () => {
    const { status, body } = await world.ask(`/r/${ids.unknown}`, signedOut)
    expect(status).toBe(404)
    expect(body).toContain("Recording not found")
  })

  it("plays the video, in ranges too", async () => {
    const whole = await world.ask(`/r/${ids.bobs}/video`, signedOut)
    expect(whole.body).toBe("0123456789")
    expect(whole.headers.get("content-type")).toBe("video/mp4")
    expect(whole.headers.get("content-disposition")).toBe("inline")
    const part = await world.ask(`/r/${ids.bobs}/video`, { ...signedOut, headers: { range: "bytes=2-3" } })
    expect([part.status, part.body]).toEqual([206, "23"])
    expect((await world.ask(`/r/${ids.adas}/video`, signedOut)).status).toBe(409)
    expect((await world.ask(`/r/${ids.unknown}/video`, signedOut)).status).toBe(404)
  })

  it("has a still, which does not count as a view", async () => {
    const before = (await world.ask(`/api/v2/recordings/${ids.bobs}`)).body.metadata.impressions_count
    const { status, headers, body } = await world.ask(`/r/${ids.bobs}/thumbnail`, signedOut)
    expect(status).toBe(200)
    expect(headers.get("content-type")).toBe("image/svg+xml; charset=utf-8")
    expect(body).toMatch(/^<svg /)
    expect((await world.ask(`/api/v2/recordings/${ids.bobs}`)).body.metadata.impressions_count).toBe(before)
    expect((await world.ask(`/r/${ids.unknown}/thumbnail`, signedOut)).status).toBe(404)
  })

  it("has generated chapters as buttons that jump to them, escaped, where there is a video", async () => {
    const generated = { summary: true, chapters: [{ startSeconds: 83, title: "<b>Pay</b>" }] } as const
    for (const uuid of [ids.bobs, ids.adas]) {
      await world.run(
        Effect.gen(function* () {
          const { recordings } = yield* storeOf("recordings")
          yield* recordings.save({ ...(yield* recordings.byUuid(uuid as never))!, summary: "Made", generated })
        })
      )
    }
    const chapter =
      '<button type="button" data-at="83"><time datetime="PT83S">1:23</time><bdi dir="auto">&lt;b&gt;Pay&lt;/b&gt;</bdi></button>'
    expect((await world.ask(`/r/${ids.bobs}`, signedOut)).body).toContain(chapter)
    expect((await world.ask(`/r/${ids.adas}`, signedOut)).body).not.toContain('class="chapters"')
    const read = await world.fetch(`/api/settings/recordings/${ids.bobs}`)
    expect(await read.json()).toMatchObject({
      title_source: "person",
      summary_source: "generated",
      summary_blocked_by: "no_summarizer",
      chapters: [{ start_seconds: 83, title: "<b>Pay</b>" }]
    })
    expect((await world.ask(`/api/v2/recordings/${ids.bobs}`)).body).not.toHaveProperty("chapters")
  })

  it("has the still of the video, once there is one", async () => {
    await world.run(
      Effect.gen(function* () {
        const { files, recordings } = yield* storeOf("files", "recordings")
        yield* files.save("still", { kind: "bytes", bytes: Buffer.from("a jpeg") })
        const recording = (yield* recordings.byUuid(ids.bobs as never))!
        const thumbnail = { fileId: "still", contentType: "image/jpeg", sizeBytes: 6, etag: "e1" }
        yield* recordings.save({ ...recording, video: { ...recording.video, thumbnail } })
      })
    )
    const path = `/r/${ids.bobs}/thumbnail`
    const { status, headers, body } = await world.ask(path, signedOut)
    expect([status, headers.get("content-type"), body]).toEqual([200, "image/jpeg", "a jpeg"])
    expect(headers.get("content-security-policy")).toContain("default-src 'none'")
    const again = await world.ask(path, { ...signedOut, headers: { "if-none-match": '"e1"' } })
    expect(again.status).toBe(304)
  })
})

describe("the page for frames (T6)", () => {
  const path = `/r/${ids.bobs}/embed`
  const frames = async (at: string) => {
    const { body, headers, status } = await world.ask(at, signedOut)
    const frameAncestors = /frame-ancestors ([^;]*)$/.exec(headers.get("content-security-policy") ?? "")?.[1]
    return { status, body: body as string, frameAncestors }
  }

  it("has the video, captions and transcript, with the public page's script and style, by their hashes", async () => {
    const { body, frameAncestors, status } = await frames(path)
    expect([status, frameAncestors]).toEqual([200, "'none'"])
    expect(body).toContain('src="./video"')
    expect(body).toContain('src="./captions"')
    expect(body.match(/class="segment"/g)?.length).toBeGreaterThan(1)
    const inline = (html: string) => html.match(/<(?:script|style)>.*?<\/(?:script|style)>/gs)
    expect(inline(body)).toEqual(inline((await frames(`/r/${ids.bobs}`)).body))
  })

  it("can be framed by the account's embed_origins; no other page can be framed", async () => {
    const embed_origins = ["https://help.acme.test", "http://localhost:3000"]
    const changed = await world.ask("/api/settings/account", { method: "PATCH", json: { embed_origins } })
    expect(JSON.parse(changed.body).embed_origins).toEqual(embed_origins)
    const { body, frameAncestors } = await frames(path)
    expect(frameAncestors).toBe("https://help.acme.test http://localhost:3000")
    expect(body).toContain('<body data-origins="https://help.acme.test http://localhost:3000">')
    for (const other of [`/r/${ids.bobs}`, `/r/${ids.unknown}/embed`, `/r/${ids.unknown}`, "/api/docs"]) {
      expect((await frames(other)).frameAncestors, other).toBe("'none'")
    }
  })

  it("is the page of an unknown recording unless every person may open the recording, also for its owner", async () => {
    const sharing = (value: string) =>
      world.ask(`/api/settings/recordings/${ids.bobs}/sharing`, { method: "PUT", json: { sharing: value } })
    const unknown = await world.fetch(`/r/${ids.unknown}/embed`, signedOut)
    const [status, text] = [unknown.status, await unknown.text()]
    expect(status).toBe(404)
    for (const value of ["account", "off"]) {
      await sharing(value)
      for (const as of [null, "ada", "bob"]) {
        const found = await world.fetch(path, { as })
        expect([found.status, await found.text()], `${value}, ${as}`).toEqual([status, text])
      }
    }
    await sharing("public")
    expect((await frames(path)).status).toBe(200)
  })

  it("counts its GETs as views, but for prefetches and previews", async () => {
    const views = async () =>
      (await world.ask(`/api/v2/recordings/${ids.bobs}`)).body.metadata.impressions_count as number
    const before = await views()
    for (const headers of [{ "sec-purpose": "prefetch" }, { "user-agent": "Slackbot-LinkExpanding 1.0" }]) {
      await world.ask(path, { ...signedOut, headers })
    }
    await world.ask(path, { ...signedOut, method: "HEAD" })
    expect(await views()).toBe(before)
    await frames(path)
    expect(await views()).toBe(before + 1)
  })
})

describe("the API's documents are public (R1, R21)", () => {
  it.each(["v1", "v2"])("serves /api/%s/openapi.json without a token", async (version) => {
    const { status, headers, body } = await world.ask(`/api/${version}/openapi.json`, signedOut)
    expect(status).toBe(200)
    expect(headers.get("content-type")).toBe("application/json")
    const document = JSON.parse(body)
    expect(document.openapi).toBe("3.1.0")
    expect(document.info.version).toBe(version === "v2" ? "2.0.0" : "1.0.0")
    expect(document.servers[0].url).toBe(`/api/${version}`)
  })

  it("the documents contain the settings and the address of the requested world", async () => {
    const other = await makeWorld({ config: { vendor: "Zappy", pageSize: 7 } })
    const mounted = Context.add(other.context, AppOptions, { ...defaultAppOptions, basePath: "/worlds/w1" })
    const response = await handler(new Request("http://localhost/api/v2/openapi.json"), mounted)
    const document = JSON.parse(await response.text())
    expect(document.components.schemas.Platform.enum).toContain("zappy")
    expect(document.info.description).toContain("7 records a page")
    expect(document.servers[0].url).toBe("/worlds/w1/api/v2")
  })

  it("/api/docs shows every operation without network access", async () => {
    const { status, headers, body } = await world.ask("/api/docs", signedOut)
    expect(status).toBe(200)
    expect(headers.get("content-type")).toBe("text/html; charset=utf-8")
    for (const operation of [
      "recordings.list",
      "recordings.update",
      "recordings.download",
      "recordings.transcript",
      "users.search"
    ]) {
      expect(body).toContain(`id="v2-${operation}"`)
    }
    expect(body).toContain('id="v1-recordings.list"')
    expect(body).not.toMatch(/(src|href)="(https?:)?\/\//)
  })
})

describe("one app", () => {
  it("serves each request from the world that the request names", async () => {
    const other = await makeWorld({ fixtures: { ...{ accounts: [{ name: "Empty" }] }, users: [] } })
    expect((await other.ask("/api/v2/recordings")).status).toBe(401)
    expect((await world.ask("/api/v2/recordings")).status).toBe(200)
    expect(Context.get(world.context, ServiceConfig)).not.toBe(Context.get(other.context, ServiceConfig))
  })

  it("answers a defect with 500 and without its cause, which is logged with the request's id (R3)", async () => {
    const { context, defects } = await makeWorld()
    const broken = Context.add(context, ServiceConfig, {
      ...Context.get(context, ServiceConfig),
      get publicUrl(): string {
        throw new Error("no public URL")
      }
    })
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
    expect(defects[2]).toContain("wire/recording.ts")
    expect(JSON.parse(defects[2] ?? "").annotations).toEqual({
      request_id: last.id,
      method: "GET",
      route: "/api/v2/recordings"
    })
    expect(JSON.stringify(defects)).not.toContain("ada-token")
  })

  it("reports every request to the log, refused ones too", async () => {
    const quiet = await makeWorld()
    await quiet.ask("/api/v2/recordings?page=2", { as: "bob" })
    await quiet.ask("/api/v1/recordings", { as: null })
    await quiet.ask(`/r/${ids.bobs}`, signedOut)
    expect(quiet.log.map(({ method, url, status, caller }) => [method, url, status, caller?.user.email])).toEqual([
      ["GET", "/api/v2/recordings?page=2", 200, "bob@acme.test"],
      ["GET", "/api/v1/recordings", 401, undefined],
      ["GET", `/r/${ids.bobs}`, 200, undefined]
    ])
  })
})

it.each(["", "/video", "/thumbnail", "/captions"])("/r/{uuid}%s may be cached with revalidation", async (part) => {
  const there = await world.fetch(`/r/${ids.bobs}${part}`, signedOut)
  expect([there.status, there.headers.get("cache-control")]).toEqual([200, "no-cache"])
  await there.arrayBuffer()
  const missing = await world.fetch(`/r/${ids.unknown}${part}`, signedOut)
  expect([missing.status, missing.headers.get("cache-control")]).toEqual([404, "no-store"])
  const etag = there.headers.get("etag")
  if (etag === null) return
  const same = await world.fetch(`/r/${ids.bobs}${part}`, { ...signedOut, headers: { "if-none-match": etag } })
  expect([same.status, same.headers.get("cache-control")]).toEqual([304, "no-cache"])
})
