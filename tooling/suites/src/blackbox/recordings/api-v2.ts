import { beforeAll, describe, expect, test } from "vitest"
import { acme, ada, bob, cyd, otto, uuid } from "../../support/acme.ts"
import type { Recording, RecordingPage } from "../../support/shapes.ts"
import { blackbox, bodyOf, keysOf, type Running, refusalV2, type Target } from "../../support/target.ts"
import { everywhere } from "../targets.ts"

/** v2: the list of recordings and one recording, field by field. */

const full = {
  uuid: uuid(1),
  id: 901,
  user: "bob@acme.test",
  title: "Checkout fails",
  summary: "The cart is empty",
  description: "After the second click",
  created_at: "2025-12-01T09:00:00.000Z",
  updated_at: "2025-12-02T10:30:00.250Z",
  duration: 42,
  impressions_count: 7,
  recording_type: "Live",
  helpdesk: {
    platform: "zendesk",
    ticket_id: "4711",
    active_ticket_id: "4712",
    user_id: "u1",
    operator_id: "o1",
    customer_id: "c1"
  },
  technical_details: {
    vendor: "Chrome 140",
    ip_address: "203.0.113.9",
    timezone: "Europe/Berlin",
    network_type: "4g",
    isp: "Example Net"
  },
  console_logs: "[log] hello",
  customer: { email: "kim@customer.test" },
  room_insights: {
    started_at: "2025-12-01T09:00:00.000Z",
    ended_at: "2025-12-01T09:01:30.000Z",
    total_participant_minutes: 2.5,
    total_unique_participants: 2,
    participants_insights: [
      {
        participant_id: "p1",
        display_name: "Kim",
        role: "guest",
        browser: "Firefox",
        os: "Linux",
        device: "Desktop",
        device_type: "desktop",
        user_agent: "Mozilla/5.0",
        joined_at: "2025-12-01T09:00:00.000Z",
        left_at: "2025-12-01T09:01:30.000Z"
      },
      { participant_id: "p2" }
    ]
  }
}

/** The native id of a platform's recordings, by N5. */
const nativeIds: Readonly<Record<string, string>> = {
  zendesk: "ticket_id",
  freshdesk: "ticket_id",
  freshservice: "ticket_id",
  intercom: "conversation_id",
  helpscout: "conversation_id",
  freshdesk_chat: "conversation_id",
  jira: "issue_id",
  hubspot: "object_id"
}
const platforms = Object.keys(nativeIds)
const platformUuid = (platform: string) => uuid(100 + platforms.indexOf(platform))

const document = acme({
  recordings: [
    full,
    { uuid: uuid(2), user: null, created_at: "2025-11-02T00:00:00.000Z" },
    { uuid: uuid(3), id: 30, user: "cyd@acme.test", created_at: "2025-11-01T00:00:00.000Z" },
    { uuid: uuid(4), id: 41, user: "cyd@acme.test", created_at: "2025-11-01T00:00:00.000Z" },
    { uuid: "ABCDEF01-0000-4000-8000-00000000ABCD", user: "bob@acme.test", created_at: "2025-10-01T00:00:00.000Z" },
    {
      uuid: uuid(5),
      created_at: "2025-09-05T00:00:00.000Z",
      helpdesk: { platform: "zendesk", ticket_id: "5000", active_ticket_id: "5000" }
    },
    {
      uuid: uuid(6),
      user: "bob@acme.test",
      created_at: "2025-09-06T00:00:00.000Z",
      helpdesk: { platform: "zendesk", ticket_id: "4711" }
    },
    ...platforms.map((platform) => ({
      uuid: platformUuid(platform),
      created_at: "2025-08-01T00:00:00.000Z",
      helpdesk: { platform, ticket_id: "shared" }
    })),
    ...Array.from({ length: 205 }, (_, n) => ({
      uuid: uuid(1000 + n),
      id: 1000 + n,
      account: 3,
      user: "otto@other.test",
      created_at: new Date(Date.UTC(2025, 0, 1) + n * 60_000).toISOString()
    }))
  ]
})

export const targets = everywhere

export const suite = (target: Target): void =>
  blackbox(target, "API v2: recordings", () => {
    let running: Running
    beforeAll(async () => {
      running = await target.start(document)
    }, 60_000)
    const get = (path: string, token = ada) => running.fetch(`/api/v2${path}`, { token })
    const page = async (path: string, token = ada) => bodyOf<RecordingPage>(await get(path, token))
    const one = async (id: string, token = ada) => bodyOf<Recording>(await get(`/recordings/${id}`, token))
    const found = async (query: string, token = ada) =>
      (await page(`/recordings?${query}`, token)).records.map((recording) => recording.uuid)

    describe("Resources and their fields", () => {
      test("Recording: every given field is returned, nested as specified", async () => {
        expect(await one(uuid(1))).toEqual({
          uuid: uuid(1),
          title: "Checkout fails",
          summary: "The cart is empty",
          description: "After the second click",
          metadata: {
            created_at: "2025-12-01T09:00:00.000Z",
            updated_at: "2025-12-02T10:30:00.250Z",
            duration: 42,
            impressions_count: 7,
            recording_type: "Live",
            recording_source: "Zendesk ticket",
            url: `${running.publicUrl}/r/${uuid(1)}`,
            helpdesk_info: {
              platform: "zendesk",
              conversation_id: null,
              ticket_id: "4711",
              active_ticket_id: "4712",
              user_id: "u1",
              operator_id: "o1",
              customer_id: "c1",
              issue_id: null,
              object_id: null
            }
          },
          technical_details: full.technical_details,
          console_logs: "[log] hello",
          customer: { email: "kim@customer.test" },
          user: { email: "bob@acme.test", name: "Bob" },
          room_insights: {
            started_at: "2025-12-01T09:00:00.000Z",
            ended_at: "2025-12-01T09:01:30.000Z",
            duration: 90,
            total_participant_minutes: 2.5,
            total_unique_participants: 2,
            participants_insights: [
              full.room_insights.participants_insights[0],
              {
                participant_id: "p2",
                display_name: null,
                role: null,
                browser: null,
                os: null,
                device: null,
                device_type: null,
                user_agent: null,
                joined_at: null,
                left_at: null
              }
            ]
          }
        })
      })

      test("Recording: a missing value is null if the specification allows it, and never omitted", async () => {
        const recording = await one(uuid(2))
        expect(recording).toEqual({
          uuid: uuid(2),
          title: null,
          summary: null,
          description: null,
          metadata: {
            created_at: "2025-11-02T00:00:00.000Z",
            updated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/),
            duration: null,
            impressions_count: 0,
            recording_type: "Received",
            recording_source: "Tapedeck app",
            url: `${running.publicUrl}/r/${uuid(2)}`,
            helpdesk_info: {
              platform: "tapedeck",
              conversation_id: null,
              ticket_id: null,
              active_ticket_id: null,
              user_id: null,
              operator_id: null,
              customer_id: null,
              issue_id: null,
              object_id: null
            }
          },
          technical_details: { vendor: null, ip_address: null, timezone: null, network_type: null, isp: null },
          console_logs: null,
          customer: { email: null },
          user: null,
          room_insights: null
        })
      })

      test("Responses are JSON", async () => {
        const answer = await get("/recordings")
        expect(answer.header("content-type"), String(answer)).toMatch(/^application\/json\b/)
      })
    })

    describe("GET /recordings/{uuid}", () => {
      test("returns the record of the list", async () => {
        const { records } = await page("/recordings")
        expect(records.find((record) => record.uuid === uuid(1))).toEqual(await one(uuid(1)))
      })

      test("R5: a UUID matches in either case, and is written in lower case", async () => {
        const lower = "abcdef01-0000-4000-8000-00000000abcd"
        expect((await one(lower)).uuid).toBe(lower)
        const upper = await one(lower.toUpperCase())
        expect(upper.uuid).toBe(lower)
        expect(upper.metadata.url).toBe(`${running.publicUrl}/r/${lower}`)
      })

      test.each(["nonsense", "1", `${uuid(1)}0`, uuid(1).replaceAll("-", ""), "%20"])(
        "R5: the path id %j is 404",
        async (id) => {
          refusalV2(await get(`/recordings/${id}`), 404)
        }
      )

      test("an unknown UUID is 404", async () => {
        refusalV2(await get(`/recordings/${uuid(999_999)}`), 404)
      })
    })

    describe("GET /recordings: pages", () => {
      test("R6: a page has 100 records; the first, a middle and the last page have their Pagination", async () => {
        const pages = await Promise.all(["", "?page=2", "?page=3"].map((query) => page(`/recordings${query}`, otto)))
        expect(pages.map(({ records }) => records.length)).toEqual([100, 100, 5])
        const common = { count: 205, items: 100, pages: 3, last_page: 3 }
        expect(pages.map(({ pagination }) => pagination)).toEqual([
          { ...common, page: 1, next_page: 2, from: 1, to: 100 },
          { ...common, page: 2, next_page: 3, prev_page: 1, from: 101, to: 200 },
          { ...common, page: 3, prev_page: 2, from: 201, to: 205 }
        ])
      })

      test("page=1 is the default", async () => {
        expect(await page("/recordings?page=1", otto)).toEqual(await page("/recordings", otto))
      })

      test("a body has `pagination` and `records` only", async () => {
        expect(keysOf(await page("/recordings"))).toEqual(["pagination", "records"])
      })

      test("R7: lists are newest first; of the same instant, the greater id first", async () => {
        const all = [...(await page("/recordings", otto)).records, ...(await page("/recordings?page=2", otto)).records]
        expect(all.map((record) => record.uuid)).toEqual(Array.from({ length: 200 }, (_, n) => uuid(1204 - n)))
        expect(await found("", cyd)).toEqual([uuid(4), uuid(3)])
      })

      test("R9: a page past the end is 200 with an empty array, and prev_page is the last page", async () => {
        const past = await page("/recordings?page=9", otto)
        expect(past.records).toEqual([])
        expect(past.pagination).toEqual({
          count: 205,
          page: 9,
          items: 100,
          pages: 3,
          prev_page: 3,
          last_page: 3,
          from: 0,
          to: 0
        })
      })

      test("R8: an empty list has one page, from 0 to 0", async () => {
        const empty = await page("/recordings?ticket_id=none", ada)
        expect(empty).toEqual({
          pagination: { count: 0, page: 1, items: 100, pages: 1, last_page: 1, from: 0, to: 0 },
          records: []
        })
      })

      test.each(["0", "-1", "abc", "1.5", "", "1e1", "0x1", "NaN", "%201", "1%00"])(
        "R9: page=%s is 400",
        async (value) => {
          refusalV2(await get(`/recordings?page=${value}`), 400)
        }
      )
    })

    describe("GET /recordings: ticket search", () => {
      test.each(platforms)("N5: %s: ticket_id is its own id, and the normalized one", async (platform) => {
        const { helpdesk_info } = (await one(platformUuid(platform))).metadata
        const native = String(nativeIds[platform])
        const ids = ["ticket_id", "conversation_id", "issue_id", "object_id"]
        const expected = Object.fromEntries(ids.map((id) => [id, null as string | null]))
        expect(helpdesk_info).toMatchObject({ ...expected, platform, ticket_id: "shared", [native]: "shared" })
      })

      test("N5: active_ticket_id is null unless it differs", async () => {
        const { helpdesk_info } = (await one(uuid(5))).metadata
        expect([helpdesk_info.ticket_id, helpdesk_info.active_ticket_id]).toEqual(["5000", null])
      })

      test("N6: the normalized id finds a recording of every helpdesk", async () => {
        expect((await found("ticket_id=shared")).toSorted()).toEqual(platforms.map(platformUuid).toSorted())
      })

      test("N6: the active follow-up id finds a recording too", async () => {
        expect(await found("ticket_id=4712")).toEqual([uuid(1)])
        expect(await found("ticket_id=4711")).toEqual([uuid(1), uuid(6)])
      })

      test.each(["471", "47111", "SHARED", "%204711", "4711%20"])(
        "N6: ids match exactly: %s matches nothing",
        async (id) => {
          expect(await found(`ticket_id=${id}`)).toEqual([])
        }
      )

      test.each(platforms)("provider=%s restricts the search to its helpdesk", async (provider) => {
        expect(await found(`ticket_id=shared&provider=${provider}`)).toEqual([platformUuid(provider)])
      })

      test("N4: freshchat means freshdesk_chat", async () => {
        expect(await found("ticket_id=shared&provider=freshchat")).toEqual([platformUuid("freshdesk_chat")])
      })

      test("a search returns only visible recordings", async () => {
        expect(await found("ticket_id=4711", cyd)).toEqual([])
        expect(await found("ticket_id=4711", otto)).toEqual([])
        expect(await found("ticket_id=4711", bob)).toEqual([uuid(1), uuid(6)])
      })

      test.each([
        ["an empty ticket_id", "ticket_id="],
        ["an unknown provider", "ticket_id=4711&provider=slack"],
        ["the own app as provider (N4)", "ticket_id=4711&provider=tapedeck"],
        ["an empty provider", "ticket_id=4711&provider="],
        ["a provider without ticket_id", "provider=zendesk"],
        ["a provider with an empty ticket_id", "ticket_id=&provider=zendesk"]
      ])("R10: %s is 400", async (_, query) => {
        refusalV2(await get(`/recordings?${query}`), 400)
      })

      test("a search has pages too", async () => {
        const { pagination, records } = await page("/recordings?ticket_id=shared&page=2")
        expect(records).toEqual([])
        expect(pagination).toMatchObject({ count: platforms.length, page: 2, prev_page: 1 })
      })
    })

    describe("R22: recording_source", () => {
      test.each([
        ["zendesk", "Zendesk ticket"],
        ["freshdesk", "Freshdesk ticket"],
        ["freshservice", "Freshservice ticket"],
        ["jira", "Jira issue"]
      ])("%s has the label %s", async (platform, source) => {
        expect((await one(platformUuid(platform))).metadata.recording_source).toBe(source)
      })

      test.each(platforms)("%s has the label <Helpdesk> <kind>", async (platform) => {
        const kind = { ticket_id: "ticket", conversation_id: "conversation", issue_id: "issue", object_id: "object" }[
          String(nativeIds[platform])
        ]
        expect((await one(platformUuid(platform))).metadata.recording_source).toMatch(new RegExp(`^[A-Z].* ${kind}$`))
      })
    })
  })
