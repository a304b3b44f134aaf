import { beforeAll, describe, expect, it } from "vitest"
import { ids } from "./fixtures.ts"
import { makeWorld, type TestWorld } from "./world.ts"

let world: TestWorld
beforeAll(async () => {
  world = await makeWorld()
})

describe("GET /api/v2/recordings/{uuid}", () => {
  it("shows every specified field", async () => {
    const { body } = await world.ask(`/api/v2/recordings/${ids.bobs}`)
    expect(body).toEqual({
      uuid: ids.bobs,
      title: "Checkout fails",
      summary: null,
      description: null,
      metadata: {
        created_at: "2026-01-01T09:00:00.000Z",
        updated_at: "2026-01-01T09:00:00.000Z",
        duration: 42,
        impressions_count: 0,
        recording_type: "Received",
        recording_source: "Zendesk ticket",
        url: `https://tapedeck.test/r/${ids.bobs}`,
        helpdesk_info: {
          platform: "zendesk",
          conversation_id: null,
          ticket_id: "4711",
          active_ticket_id: "4712",
          user_id: null,
          operator_id: null,
          customer_id: null,
          issue_id: null,
          object_id: null
        }
      },
      technical_details: {
        vendor: "Google Inc.",
        ip_address: "203.0.113.7",
        timezone: null,
        network_type: null,
        isp: null
      },
      console_logs: null,
      customer: { email: "carol@example.com" },
      user: { email: "bob@acme.test", name: "Bob" },
      room_insights: null
    })
  })

  it("finds a recording by its UUID in either case", async () => {
    const uuid = "abcdef00-0000-4000-8000-0000000000ff"
    const { ask } = await makeWorld({
      fixtures: {
        users: [{ email: "ada@acme.test", name: "Ada", role: "admin", token: "ada-token" }],
        recordings: [{ uuid }]
      }
    })
    expect((await ask(`/api/v2/recordings/${uuid.toUpperCase()}`)).body).toMatchObject({ uuid })
  })

  it("shows the normalized ticket id of other platforms (N5)", async () => {
    const info = async (uuid: string) => (await world.ask(`/api/v2/recordings/${uuid}`)).body.metadata.helpdesk_info
    expect(await info(ids.freshchat)).toMatchObject({ ticket_id: "4711", conversation_id: "4711" })
    expect(await info(ids.unowned)).toMatchObject({ platform: "jira", ticket_id: "SUP-1", issue_id: "SUP-1" })
  })

  it("has room insights on a Live recording, with their duration (R22), and a null user if there is none", async () => {
    const live = (await world.ask(`/api/v2/recordings/${ids.live}`)).body
    expect(live.room_insights).toMatchObject({ started_at: "2026-01-04T09:00:00.000Z", duration: 90 })
    expect((await world.ask(`/api/v2/recordings/${ids.unowned}`)).body.user).toBe(null)
  })

  it("accepts the UUID in either case, and writes it in lower case (R5)", async () => {
    const { status, body } = await world.ask(`/api/v2/recordings/${ids.bobs.toUpperCase()}`)
    expect(status).toBe(200)
    expect(body.uuid).toBe(ids.bobs)
  })

  it.each(["x", "00000000-0000-4000-8000-00000000000", "00000000-0000-4000-8000-0000000000001", "%00", "..%2f"])(
    "answers 404 for %s, which is not a UUID (R5)",
    async (uuid) => {
      expect((await world.ask(`/api/v2/recordings/${uuid}`)).status).toBe(404)
    }
  )

  it("names the vendor's app and links to the public URL (N2, R22, W12)", async () => {
    const other = await makeWorld({ config: { vendor: "Zappy", publicUrl: "https://rec.example" } })
    const { metadata } = (await other.ask(`/api/v2/recordings/${ids.adas}`)).body
    expect(metadata).toMatchObject({
      recording_source: "Zappy app",
      url: `https://rec.example/r/${ids.adas}`,
      helpdesk_info: { platform: "zappy", ticket_id: null }
    })
  })

  it("answers HEAD like GET, without the body", async () => {
    const get = await world.fetch(`/api/v2/recordings/${ids.bobs}`)
    const { status, headers } = await world.ask(`/api/v2/recordings/${ids.bobs}`, { method: "HEAD" })
    expect(status).toBe(200)
    expect(headers.get("content-length")).toBe(get.headers.get("content-length"))
    expect((await world.ask("/api/v2/recordings", { method: "HEAD", as: null })).status).toBe(401)
  })
})

describe("GET /api/v2/recordings/{uuid}/transcript", () => {
  const transcript = async (uuid: string, query = "") =>
    (await world.ask(`/api/v2/recordings/${uuid}/transcript${query}`)).body

  it("pages its segments by 100 (R6)", async () => {
    const last = await transcript(ids.bobs, "?page=3")
    expect(last).toMatchObject({
      recording_uuid: ids.bobs,
      status: "ready",
      language: "en",
      speaker_map: { "0": "Bob" }
    })
    expect(last.pagination).toEqual({
      count: 250,
      page: 3,
      items: 100,
      pages: 3,
      last_page: 3,
      from: 201,
      to: 250,
      prev_page: 2
    })
    expect(last.segments[0]).toEqual({
      start_seconds: 200,
      end_seconds: 201,
      text: "Segment 201",
      sentences: [{ speaker: "0", start: 200 }]
    })
  })

  it("has the status unavailable for a recording without a transcript", async () => {
    expect(await transcript(ids.adas)).toMatchObject({ status: "unavailable", language: null, segments: [] })
  })

  it("shows the legacy text as one segment if there is no other (R14, R23)", async () => {
    expect(await transcript(ids.unowned)).toMatchObject({
      status: "ready",
      speaker_map: {},
      segments: [{ start_seconds: 0, end_seconds: null, text: "What the old system heard.", sentences: [] }]
    })
  })
})

describe("GET /api/v2/users", () => {
  it("lists the account's users, oldest first (R7), without deactivated ones (R24)", async () => {
    const { body } = await world.ask("/api/v2/users")
    expect(body.users.map(({ email }: { email: string }) => email)).toEqual([
      "ada@acme.test",
      "bob@acme.test",
      "cy@acme.test"
    ])
    expect(body.users[0]).toMatchObject({
      name: "Ada",
      has_profile_picture: false,
      role: "admin",
      notifications: { notify_first_view: "Enabled" }
    })
    expect((await world.ask("/api/v2/users?page=2")).body.pagination).toMatchObject({ page: 2, prev_page: 1, from: 0 })
  })

  it.each(["page=0", "page=x"])("refuses ?%s", async (query) => {
    expect((await world.ask(`/api/v2/users?${query}`)).status).toBe(400)
  })

  it("finds a user by e-mail address, in any case (R16)", async () => {
    const { body } = await world.ask("/api/v2/users/search?email=BOB%40acme.test")
    expect(body).toMatchObject({ email: "bob@acme.test", role: "member" })
  })

  it.each([
    ["", "email is missing"],
    ["?email=", "email must be an e-mail address"],
    ["?email=bob", "email must be an e-mail address"],
    ["?email=@acme.test", "email must be an e-mail address"]
  ])("refuses /users/search%s with 400 (R16)", async (query, error) => {
    const { status, body } = await world.ask(`/api/v2/users/search${query}`)
    expect(status).toBe(400)
    expect(body).toEqual({ error })
  })

  it.each(["unknown@acme.test", "oz@acme.test"])("does not find %s", async (email) => {
    const { status, body } = await world.ask(`/api/v2/users/search?email=${email}`)
    expect(status).toBe(404)
    expect(body).toEqual({ error: "User not found" })
  })
})

describe("v1 (R17)", () => {
  it("shows a recording as a flat object", async () => {
    const { body } = await world.ask(`/api/v1/recordings/${ids.bobs}`)
    expect(body).toMatchObject({
      uuid: ids.bobs,
      title: "Checkout fails",
      platform: "Win32",
      vendor: "Google Inc.",
      customer_email: "carol@example.com",
      duration: 42,
      recording_source: "Zendesk ticket",
      user_email: "bob@acme.test",
      user_name: "Bob"
    })
    expect(Object.keys(body)).toHaveLength(20)
  })

  it("lists recordings in pages", async () => {
    const small = await makeWorld({ config: { pageSize: 2 } })
    const { body } = await small.ask("/api/v1/recordings?page=3")
    expect(body.pagination).toMatchObject({ count: 5, page: 3, from: 5, to: 5 })
    expect(body.records).toHaveLength(1)
    expect((await small.ask("/api/v1/recordings?page=x")).body).toEqual({
      error: { message: "page must be an integer of at least 1", code: 400 }
    })
  })

  it("has no other endpoint of v2", async () => {
    for (const path of ["/users", `/recordings/${ids.bobs}/download`, `/recordings/${ids.bobs}/transcript`]) {
      expect((await world.ask(`/api/v1${path}`)).status).toBe(404)
    }
  })
})
