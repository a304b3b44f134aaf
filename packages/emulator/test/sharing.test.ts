import { startEmulator } from "@tapedeck/emulator"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"

const uuid = "7d0f3c1e-0000-4000-8000-000000000001"
const other = "7d0f3c1e-0000-4000-8000-000000000002"

let emulator: Awaited<ReturnType<typeof startEmulator>>
beforeAll(async () => {
  emulator = await startEmulator({
    fixtures: {
      accounts: [
        { id: 1, name: "Acme" },
        { id: 2, name: "Other" }
      ],
      users: [
        { email: "ada@acme.test", name: "Ada", role: "admin", token: "ada-token", account: 1 },
        { email: "bob@acme.test", name: "Bob", token: "bob-token", account: 1 },
        { email: "mia@acme.test", name: "Mia", token: "mia-token", account: 1 },
        { email: "otto@other.test", name: "Otto", role: "admin", token: "otto-token", account: 2 }
      ],
      recordings: [
        { uuid, title: "Checkout fails", user: "bob@acme.test", account: 1, video: { original: { size: 10 } } },
        { uuid: other, title: "Another", user: "bob@acme.test", account: 1 }
      ],
      folders: [{ id: "vip", name: "VIP", account: 1 }],
      sinks: [{ id: "crm", respond: [200] }],
      automations: [{ id: "a1", folder: "vip", url: "sink:crm" }]
    }
  })
})
afterAll(() => emulator.close())
beforeEach(() => emulator.reset())

const call = async (method: string, path: string, body?: unknown, as = "bob") => {
  const response = await emulator.fetch(`/api/settings${path}`, {
    method,
    headers: { authorization: `Bearer ${as}-token`, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) })
  })
  const text = await response.text()
  return { status: response.status, body: text === "" ? undefined : JSON.parse(text) }
}

const share = (sharing: string) => call("PUT", `/recordings/${uuid}/sharing`, { sharing })

const parts = ["", "/video", "/thumbnail", "/captions"]

const statuses = async (base: string, as?: string, query = "") => {
  const headers = as === undefined ? {} : { authorization: `Bearer ${as}-token` }
  return Promise.all(parts.map(async (part) => (await emulator.fetch(`${base}${part}${query}`, { headers })).status))
}

const opens = [200, 200, 200, 200]
const hidden = [404, 404, 404, 404]

const link = async (body: unknown = {}) => {
  const made = await call("POST", `/recordings/${uuid}/share-links`, body)
  expect(made.status).toBe(201)
  return { ...made.body, path: new URL(made.body.url).pathname } as { id: string; url: string; path: string }
}

describe("sharing", () => {
  test("is public by default, for members of the account only, or off except for users who may see the recording", async () => {
    expect(await statuses(`/r/${uuid}`)).toEqual(opens)
    expect((await share("account")).body).toEqual({
      sharing: "account",
      is_log_shared: false,
      url: expect.any(String),
      links: []
    })
    expect(await statuses(`/r/${uuid}`)).toEqual(hidden)
    expect(await statuses(`/r/${uuid}`, "mia")).toEqual(opens)
    expect(await statuses(`/r/${uuid}`, "otto")).toEqual(hidden)
    await share("off")
    expect(await statuses(`/r/${uuid}`, "mia")).toEqual(hidden)
    expect(await statuses(`/r/${uuid}`, "bob")).toEqual(opens)
    expect(await statuses(`/r/${uuid}`, "ada")).toEqual(opens)
    expect(await statuses(`/r/${other}`)).toEqual([200, 409, 200, 200])
  })

  test("can be changed by users who may see the recording, with an audit entry for each change", async () => {
    expect((await call("PUT", `/recordings/${uuid}/sharing`, { sharing: "off" }, "mia")).status).toBe(404)
    expect((await call("PUT", `/recordings/${uuid}/sharing`, { sharing: "friends" })).status).toBe(422)
    expect((await call("PUT", `/recordings/${uuid}/sharing`, { sharing: "off", until: 1 })).status).toBe(400)
    await share("off")
    await share("off")
    const { id } = await link()
    await call("DELETE", `/recordings/${uuid}/share-links/${id}`)
    const entries = (await call("GET", "/audit-entries", undefined, "ada")).body.audit_entries
    expect(entries.map((one: { event_type: string }) => one.event_type)).toEqual([
      "recording.share_link_revoked",
      "recording.share_link_created",
      "recording.sharing_changed"
    ])
  })

  test("has the account's default for new recordings", async () => {
    expect((await call("PATCH", "/account", { sharing: "account" }, "ada")).body.sharing).toBe("account")
    const made = await call("POST", "/recordings", { title: "New" })
    expect(made.body.sharing).toBe("account")
    expect((await emulator.fetch(`/r/${made.body.uuid}`)).status).toBe(404)
  })

  test("gives webhooks signed links to the files if it is not public, which expire after 7 days", async () => {
    await share("off")
    await emulator.addToFolder("vip", uuid)
    await emulator.clock.advance({ until: "idle" })
    const [request] = (await emulator.sinks.get("crm")).requests
    const { recording } = JSON.parse(request?.body ?? "{}")
    const pathOf = (url: string) => url.slice(new URL(url).origin.length)
    for (const url of [recording.video_url, recording.thumbnail_url]) {
      expect(new URL(url).searchParams.get("access")).toMatch(/^\d+-[\w-]{43}$/)
      expect((await emulator.fetch(pathOf(url))).status).toBe(200)
    }
    expect(recording.url).not.toContain("access")
    const query = new URL(recording.video_url).search
    expect(await statuses(`/r/${uuid}`, undefined, query)).toEqual([404, 200, 200, 200])
    expect(
      await statuses(
        `/r/${uuid}`,
        undefined,
        query.replace(/.$/, (last) => (last === "A" ? "B" : "A"))
      )
    ).toEqual(hidden)
    expect(await statuses(`/r/${uuid}`, undefined, query.replace("=1", "=2"))).toEqual(hidden)
    await emulator.clock.advance({ by: "P6DT23H59M" })
    expect((await emulator.fetch(pathOf(recording.video_url))).status).toBe(200)
    await emulator.clock.advance({ by: "PT1M" })
    expect((await emulator.fetch(pathOf(recording.video_url))).status).toBe(404)
  })
})

describe("a share link", () => {
  test("opens the recording and its files until it ends", async () => {
    await share("off")
    const { path } = await link({ expires_at: "2026-01-02T00:00:00.000Z" })
    expect(await statuses(path)).toEqual(opens)
    const page = await (await emulator.fetch(path)).text()
    expect(page).toContain(`src="${path.slice(3)}/video"`)
    expect(page).not.toContain(uuid)
    await emulator.clock.advance({ to: "2026-01-02T00:00:00.000Z" })
    expect(await statuses(path)).toEqual(hidden)
    expect((await call("GET", `/recordings/${uuid}/sharing`)).body.links).toEqual([])
  })

  test("opens nothing once it is revoked, or with another token", async () => {
    await share("off")
    const { id, path } = await link()
    expect(await statuses(`${path}A`)).toEqual(hidden)
    expect((await call("DELETE", `/recordings/${other}/share-links/${id}`)).status).toBe(404)
    expect((await call("DELETE", `/recordings/${uuid}/share-links/${id}`)).status).toBe(204)
    expect((await call("DELETE", `/recordings/${uuid}/share-links/${id}`)).status).toBe(404)
    expect(await statuses(path)).toEqual(hidden)
  })

  test("is removed with its recording", async () => {
    const { path } = await link()
    await call("DELETE", `/recordings/${uuid}`)
    expect(await statuses(path)).toEqual(hidden)
  })

  test("is refused beyond 50 for a recording, with an expiry in the past, and with a short password", async () => {
    for (let number = 0; number < 50; number++) await link()
    expect((await call("POST", `/recordings/${uuid}/share-links`, {})).status).toBe(409)
    expect(
      (await call("POST", `/recordings/${other}/share-links`, { expires_at: "2025-01-01T00:00:00Z" })).status
    ).toBe(422)
    expect((await call("POST", `/recordings/${other}/share-links`, { password: "1234567" })).status).toBe(422)
    expect((await call("POST", `/recordings/${other}/share-links`, { password: "x".repeat(129) })).status).toBe(422)
  })

  test("opens for 12 hours in a browser that has sent its password", async () => {
    await share("off")
    const { path } = await link({ password: "open sesame" })
    expect(await (await emulator.fetch(path)).text()).toContain("Password needed")
    expect(await statuses(path)).toEqual([200, 404, 404, 404])
    const send = (password: string) =>
      emulator.fetch(path, {
        method: "POST",
        redirect: "manual",
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body: new URLSearchParams({ password }).toString()
      })
    const wrong = await send("open barley")
    expect([wrong.status, wrong.headers.get("set-cookie")]).toEqual([403, null])
    const right = await send("open sesame")
    expect(right.status).toBe(303)
    expect(new URL(right.headers.get("location") ?? "", `http://localhost${path}`).pathname).toBe(path)
    const [cookie = ""] = (right.headers.get("set-cookie") ?? "").split(";")
    expect(right.headers.get("set-cookie")).toContain("HttpOnly")
    const withCookie = async () => {
      const response = await emulator.fetch(path, { headers: { cookie } })
      return (await response.text()).includes("Checkout fails")
    }
    expect(await withCookie()).toBe(true)
    expect((await emulator.fetch(`${path}/video`, { headers: { cookie } })).status).toBe(200)
    await emulator.clock.advance({ by: "PT12H" })
    expect(await withCookie()).toBe(false)
  })
})

describe("the log of a recording", () => {
  const hostile = "<img src=x onerror=alert(1)>"
  const header = {
    ...{ version: 1, started_at: "2026-01-01T10:00:00.000Z", page: { url: "", title: "" }, user_agent: "" },
    ...{ viewport: { width: 1, height: 1 }, timezone: "", language: "" }
  }
  const marks = (count: number) =>
    [header, ...Array.from({ length: count }, (_, seq) => ({ seq, t: seq, kind: "mark", text: `${hostile} ${seq}.` }))]
      .map((line) => JSON.stringify(line))
      .join("\n")
  const importLog = (count: number) =>
    emulator.fetch(`/api/settings/recordings/${uuid}/log`, {
      method: "PUT",
      headers: { authorization: "Bearer bob-token", "content-type": "application/x-ndjson" },
      body: marks(count)
    })
  const read = async (path: string) => {
    const response = await emulator.fetch(path)
    return { status: response.status, text: await response.text() }
  }

  test("is on the page and in its file only where its owner allows it, and by a link too", async () => {
    await importLog(2)
    const { body: link } = await call("POST", `/recordings/${uuid}/share-links`, {})
    const bases = [`/r/${uuid}`, new URL(link.url).pathname]
    for (const base of bases) {
      expect((await read(base)).text).not.toContain("Log (")
      expect((await read(`${base}/log`)).status).toBe(404)
    }
    const allowed = await call("PUT", `/recordings/${uuid}/sharing`, { sharing: "public", is_log_shared: true })
    expect(allowed.body).toMatchObject({ sharing: "public", is_log_shared: true })
    for (const base of bases) {
      const page = (await read(base)).text
      expect(page).toContain("Log (2 events)")
      expect(page).toContain("&lt;img src=x onerror=alert(1)&gt; 1.")
      expect(page).not.toContain(hostile)
      expect((await read(`${base}/log`)).text.trim().split("\n")).toHaveLength(3)
    }
    await share("off")
    expect((await read(`/r/${uuid}/log`)).status).toBe(404)
    expect((await read(`${bases[1]}/log`)).status).toBe(200)
    const [entry] = (await call("GET", "/audit-entries", undefined, "ada")).body.audit_entries.filter(
      ({ metadata }: { readonly metadata: { readonly changes?: object } }) =>
        JSON.stringify(metadata).includes("is_log_shared")
    )
    expect(entry).toMatchObject({ event_type: "recording.sharing_changed" })
  })

  test("is shown up to 1,000 events; the others are in the file", async () => {
    await importLog(1_001)
    await call("PUT", `/recordings/${uuid}/sharing`, { sharing: "public", is_log_shared: true })
    const page = (await read(`/r/${uuid}`)).text
    expect(page).toContain("Log (the first 1000 events)")
    expect(page).toContain("Further events are in the file.")
    expect([page.includes("999."), page.includes("1000.")]).toEqual([true, false])
    expect((await read(`/r/${uuid}/log`)).text).toContain("1000.")
    await importLog(1_000)
    const whole = (await read(`/r/${uuid}`)).text
    expect([whole.includes("Log (1000 events)"), whole.includes("Further events")]).toEqual([true, false])
  })
})
