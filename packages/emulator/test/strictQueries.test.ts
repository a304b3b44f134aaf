import { afterEach, describe, expect, test } from "vitest"
import { type RunningEmulator, startEmulator } from "../src/index.ts"

const uuid = "00000000-0000-4000-8000-000000000001"
const list = "/api/v2/recordings"

const open: Array<RunningEmulator> = []
const track = async (starting: Promise<RunningEmulator>) => {
  const emulator = await starting
  open.push(emulator)
  return emulator
}
afterEach(async () => {
  for (const emulator of open.splice(0)) await emulator.close()
})

const started = (strict_queries: boolean) =>
  startEmulator({
    config: { strict_queries },
    fixtures: {
      users: [{ email: "ada@acme.test", name: "Ada", role: "admin", token: "token-of-ada" }],
      recordings: [{ uuid, title: "Checkout fails" }]
    }
  })

const refused: ReadonlyArray<readonly [path: string, message: string]> = [
  [`${list}?ticketid=4711`, "ticketid is not a query parameter here (did you mean ticket_id?)"],
  [
    `${list}?Page=2&ticket_id=1&x=`,
    "Page is not a query parameter here (did you mean page?); x is not a query parameter here"
  ],
  [`${list}/${uuid}?page=1`, "page is not a query parameter here"],
  [`${list}/${uuid}/transcript?pages=1`, "pages is not a query parameter here (did you mean page?)"],
  ["/api/v2/users?role=admin", "role is not a query parameter here"],
  ["/api/v2/users/search?mail=ada@acme.test", "mail is not a query parameter here (did you mean email?)"],
  ["/api/v1/recordings?page_size=5", "page_size is not a query parameter here (did you mean page?)"]
]

describe("strict_queries", () => {
  test.each(refused)("refuses %s: %s", async (path, message) => {
    const emulator = await track(started(true))
    const answer = await emulator.fetch(path, { headers: { authorization: "Bearer token-of-ada" } })
    const body = (await answer.json()) as { error: string | { message: string } }
    expect(answer.status).toBe(400)
    expect(typeof body.error === "string" ? body.error : body.error.message).toBe(message)
    const [entry] = (await emulator.journal.read({ kind: "request" })).entries
    expect(entry).toMatchObject({ path, status: 400 })
    expect(entry).not.toHaveProperty("unknown_query")
  })

  test("leaves known parameters, 401 without a token, documents and public pages as they are", async () => {
    const emulator = await track(started(true))
    const statuses = async (paths: ReadonlyArray<string>, headers = {}) => {
      const answers: Array<number> = []
      for (const path of paths) answers.push((await emulator.fetch(path, { headers })).status)
      return answers
    }
    expect(await statuses([`${list}?page=1&ticket_id=1`], { authorization: "Bearer token-of-ada" })).toEqual([200])
    expect(await statuses([`${list}?ticketid=1`, "/api/docs?x=1", `/r/${uuid}?utm_source=x`])).toEqual([401, 200, 200])
  })

  test("is off by default", async () => {
    const emulator = await track(startEmulator())
    const { config } = (await (await emulator.fetch("/_emulator")).json()) as { config: object }
    expect(config).toHaveProperty("strict_queries", false)
  })
})
