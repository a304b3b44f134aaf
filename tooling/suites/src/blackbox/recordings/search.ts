import { beforeAll, expect, test } from "vitest"
import { acme, ada, bob, otto, uuid } from "../../support/acme.ts"
import { blackbox, bodyOf, type Running, refusalV2, type Target } from "../../support/target.ts"
import { onStores } from "../targets.ts"

interface Page {
  readonly pagination: {
    readonly count: number
    readonly count_is_exact: boolean
    readonly items: number
    readonly next_cursor?: string
    readonly page?: number
  }
  readonly records: ReadonlyArray<{ readonly uuid: string; readonly title: string; readonly match?: unknown }>
}

interface Changes {
  readonly pagination: { readonly items: number; readonly has_more: boolean; readonly next_since: string }
  readonly records: ReadonlyArray<unknown>
}

const helpdesk = { platform: "zendesk", ticket_id: "4711" }
const recordings = [
  { uuid: uuid(1), title: "Checkout fails", user: "ada@acme.test", created_at: "2026-01-01T09:00:00Z", duration: 9 },
  { uuid: uuid(2), title: "Crème in the cart", user: "bob@acme.test", created_at: "2026-01-02T09:00:00Z" },
  {
    uuid: uuid(3),
    title: "Another",
    user: "bob@acme.test",
    created_at: "2026-01-03T09:00:00Z",
    recording_type: "Live",
    helpdesk,
    transcript: {
      segments: [
        { start_seconds: 0, end_seconds: 4, text: "Hello." },
        { start_seconds: 4, end_seconds: 9, text: "The Café's card was declined." }
      ]
    }
  }
]

export const targets = onStores

/** The list of recordings with a search, filters and an order, by cursor. On every target. */
export const suite = (target: Target): void =>
  blackbox(target, "Settings API: the search of recordings", () => {
    let running: Running
    beforeAll(async () => {
      running = await target.start(acme({ config: { page_size: 2 }, recordings }))
    }, 60_000)
    const ask = (query: string, token = ada) => running.fetch(`/api/settings/recordings${query}`, { token })
    const found = async (query: string, token = ada) => bodyOf<Page>(await ask(query, token))
    const titles = async (query: string, token = ada) => (await found(query, token)).records.map(({ title }) => title)

    test.each([
      ["?search=CREME+ca", ["Crème in the cart"]],
      ["?search=fails&type=Live", []],
      ["?type=Live", ["Another"]],
      ["?platform=zendesk", ["Another"]],
      ["?platform=app&owner=12", ["Crème in the cart"]],
      ["?folder_id=none", []],
      ["?since=2026-01-02T09:00:00Z&until=2026-01-03T09:00:00Z", ["Crème in the cart"]],
      ["?sort=title", ["Another", "Checkout fails"]],
      ["?sort=title&items=1", ["Another"]],
      ["?sort=title&items=100", ["Another", "Checkout fails"]],
      ["?sort=-duration", ["Checkout fails", "Another"]]
    ])("GET /recordings%s finds %j", async (query, expected) => {
      expect(await titles(query)).toEqual(expected)
    })

    test("a cursor reads the next page, and the last page has none", async () => {
      const first = await found("?sort=created_at")
      expect(first.pagination).toEqual({
        count: 3,
        count_is_exact: true,
        items: 2,
        next_cursor: first.pagination.next_cursor
      })
      const next = await found(`?sort=created_at&cursor=${first.pagination.next_cursor}`)
      expect([...first.records, ...next.records].map(({ title }) => title)).toEqual(
        recordings.map(({ title }) => title)
      )
      expect(next.pagination).not.toHaveProperty("next_cursor")
    })

    test("T7: a search finds what was said, by words and by phrases in double quotes, with the sentence and its start", async () => {
      const matches = async (text: string) =>
        (await found(`?search=${encodeURIComponent(text)}`)).records.map(({ match, title }) => [title, match])
      const match = { start_seconds: 4, text: "The Café's card was declined." }
      expect(await matches("cafe DECL")).toEqual([["Another", match]])
      expect(await matches('"was declined" another')).toEqual([["Another", match]])
      expect(await matches('"declined was"')).toEqual([])
      expect(await matches("another")).toEqual([["Another", undefined]])
    })

    test("a list without filters has page numbers and an exact count", async () => {
      expect((await found("")).pagination).toMatchObject({ count: 3, count_is_exact: true, page: 1 })
    })

    test("a member finds only their own recordings, whatever owner is given, and another account finds none", async () => {
      expect(await titles("?sort=title", bob)).toEqual(["Another", "Crème in the cart"])
      expect(await titles("?search=checkout", bob)).toEqual([])
      expect((await found("?owner=11", bob)).pagination.count).toBe(0)
      expect((await found("?search=a", otto)).pagination.count).toBe(0)
    })

    test.each([
      ["search=", /search must have 1 to 500 characters/],
      [`search=${"a".repeat(501)}`, /search must have 1 to 500 characters/],
      ["type=x", /type must be one of/],
      ["platform=x", /platform must be one of/],
      ["owner=x", /owner must be an integer/],
      ["folder_id=", /folder_id must not be empty/],
      ["since=x", /since must be an ISO 8601/],
      ["until=x", /until must be an ISO 8601/],
      ["sort=x", /sort must be one of/],
      ["items=0", /items must be an integer from 1 to 100/],
      ["items=101", /items must be an integer from 1 to 100/],
      ["cursor=*", /cursor must be the next_cursor/],
      ["cursor=bm9uZQ", /cursor must be the next_cursor/],
      ["cursor=W10&page=2", /page does not go together with cursor/],
      ["search=a&ticket_id=1", /ticket_id does not go together with search/],
      ["updated_since=*", /updated_since must be empty, or the next_since of an earlier answer/],
      ["updated_since=bm9uZQ", /updated_since must be empty, or the next_since of an earlier answer/],
      [`updated_since=${"a".repeat(1_000)}`, /updated_since must be empty, or the next_since of an earlier answer/],
      [`updated_since=${"a".repeat(1_001)}`, /updated_since must be empty, or the next_since of an earlier answer/],
      ["uuids=", /uuids must be UUIDs, separated by commas/],
      [`uuids=${Array(101).fill(uuid(1))}`, /uuids must have at most 100 UUIDs/],
      [`uuids=${uuid(1)}&sort=title`, /uuids does not go together with sort/],
      ["updated_since=&page=1", /updated_since does not go together with page/],
      ["updated_since=&sort=title", /updated_since does not go together with sort/],
      ["serach=a", /serach is not a query parameter here \(did you mean search\?\)/]
    ])("?%s is 400 and named", async (query, message) => {
      expect(refusalV2(await ask(`?${query}`), 400)).toMatch(message)
    })

    test("a cursor of another order is 400", async () => {
      const { pagination } = await found("?sort=title")
      expect(refusalV2(await ask(`?sort=-title&cursor=${pagination.next_cursor}`), 400)).toMatch(/cursor must be/)
    })

    test.each([
      ["/", []],
      [":)", []],
      ["!!", []],
      ["\u{1f600}".repeat(250), []],
      ["日".repeat(500), []],
      ["https://shop.example.com/cart?step=2#pay", []],
      [`http://desk.example/recordings/${uuid(2)}?tab=log`, ["Crème in the cart"]],
      [uuid(1), ["Checkout fails"]],
      [uuid(9), []],
      ["creme in the cart in the creme a b c d e f g", []],
      ["fails checkout c ch che chec check f fa fai unknown words", ["Checkout fails"]],
      ["Zendesk 4711", ["Another"]],
      ["bob", ["Another", "Crème in the cart"]],
      ["bob@acme.test creme", ["Crème in the cart"]]
    ])("search=%s is an answer: %j", async (text, expected) => {
      expect(await titles(`?search=${encodeURIComponent(text)}`)).toEqual(expected)
    })

    // Changes the recordings: the last test.
    test("T8: updated_since lists what was committed since, deletions too, and 410 to another user", async () => {
      let [since, requests] = ["", 0]
      const read = async () => {
        const records: Array<unknown> = []
        for (let hasMore = true; hasMore; requests += 1) {
          const page = bodyOf<Changes>(await ask(`?updated_since=${since}`))
          expect(page.pagination.items).toBe(2)
          records.push(...page.records)
          hasMore = page.pagination.has_more
          since = page.pagination.next_since
        }
        return records
      }
      const send = (id: string, method: string, json?: unknown) =>
        running.fetch(`/api/settings/recordings/${id}`, { token: ada, method, ...(json !== undefined && { json }) })

      expect(await read()).toHaveLength(3)
      expect(requests).toBe(2)
      expect(await read()).toEqual([])
      const changed = bodyOf<object>(await send(uuid(1), "PATCH", { title: "Checkout fails again" }))
      expect((await send(uuid(2), "DELETE")).status).toBe(204)
      const { media_access: _, ...listed } = changed as { readonly media_access: unknown }
      requests = 0
      const [first, ...others] = await read()
      expect(first).toMatchObject(listed)
      expect(others).toEqual([{ uuid: uuid(2), deleted: true }])
      expect(requests).toBe(1)
      expect(refusalV2(await ask(`?updated_since=${since}`, bob), 410)).toMatch(
        /updated_since is too old, or of another/
      )
    })
  })
