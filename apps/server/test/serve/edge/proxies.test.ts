import { expect, test } from "vitest"
import { listening, said } from "../../support/command.ts"
import { asAdmin, recording, startedWith } from "../../support/people.ts"

type Headers = Readonly<Record<string, string>>

interface Entry {
  readonly ip_address: string | null
}

/** Where the audit log says that a change came from. */
const seenFrom = async (baseUrl: string, headers: Headers): Promise<string | null> => {
  const title = JSON.stringify(headers)
  const changed = await fetch(`${baseUrl}/api/v2/recordings/${recording}`, {
    method: "PATCH",
    headers: { ...asAdmin, ...headers, "content-type": "application/json" },
    body: JSON.stringify({ recording: { title } })
  })
  expect(changed.status).toBe(200)
  const listed = await fetch(`${baseUrl}/api/settings/audit-entries`, { headers: asAdmin })
  const { audit_entries } = (await listed.json()) as { readonly audit_entries: ReadonlyArray<Entry> }
  return audit_entries[0]?.ip_address ?? null
}

const isHsts = async (baseUrl: string, headers: Headers): Promise<boolean> =>
  (await fetch(`${baseUrl}/healthz`, { headers })).headers.has("strict-transport-security")

test.each<[string, string, Headers]>([
  [
    "X-Forwarded-Proto has fewer values than X-Forwarded-For",
    "X-Forwarded-Proto does not have one value for each of X-Forwarded-For",
    { "x-forwarded-for": "203.0.113.9, 10.1.2.3", "x-forwarded-proto": "https" }
  ],
  ["X-Forwarded-For is missing", "X-Forwarded-For is missing", { "x-forwarded-proto": "https" }],
  [
    "X-Forwarded-For has an entry that is not an address",
    "X-Forwarded-For has an entry that is not an address",
    { "x-forwarded-for": "unknown", "x-forwarded-proto": "https" }
  ]
])("the log says why a request counts as HTTP: %s", async (_, reason, headers) => {
  const server = await listening([...startedWith(), "--trusted-proxies", "127.0.0.1,10.0.0.0/8"])
  for (let request = 0; request < 3; request += 1) expect(await isHsts(server.view.base_url, headers)).toBe(false)
  await said(server, "X-Forwarded-Proto was ignored")
  await server.stop()
  const lines = server.output.err.split("\n").filter((line) => line.includes("X-Forwarded-Proto was ignored"))
  expect(lines).toHaveLength(1)
  expect(lines[0]).toContain(reason)
})

test("a request from a peer that is no trusted proxy says in the log why it counts as HTTP, and one by HTTP says nothing", async () => {
  const server = await listening([...startedWith(), "--trusted-proxies", "192.0.2.0/24"])
  expect(await isHsts(server.view.base_url, { "x-forwarded-for": "203.0.113.9", "x-forwarded-proto": "http" })).toBe(
    false
  )
  expect(server.output.err).not.toContain("X-Forwarded-Proto was ignored")
  expect(await isHsts(server.view.base_url, { "x-forwarded-for": "203.0.113.9", "x-forwarded-proto": "https" })).toBe(
    false
  )
  expect(await said(server, "X-Forwarded-Proto was ignored")).toContain("did not come from a trusted proxy")
})

test("without trusted proxies the forwarding headers of a request are ignored", async () => {
  const { view } = await listening(startedWith())
  const headers = { "x-forwarded-for": "203.0.113.9", "x-forwarded-proto": "https" }
  expect(await seenFrom(view.base_url, headers)).toBe("127.0.0.1")
  expect(await isHsts(view.base_url, headers)).toBe(false)
})

test("the forwarding headers of a request that no trusted proxy passed on are ignored", async () => {
  const { view } = await listening([...startedWith(), "--trusted-proxies", "192.0.2.0/24"])
  const headers = { "x-forwarded-for": "203.0.113.9", "x-forwarded-proto": "https" }
  expect(await seenFrom(view.base_url, headers)).toBe("127.0.0.1")
  expect(await isHsts(view.base_url, headers)).toBe(false)
})

test("the addresses of trusted proxies are read from the right, up to the first untrusted one", async () => {
  const { view } = await listening([...startedWith(), "--trusted-proxies", "127.0.0.1,10.0.0.1/8,2001:db8::/32"])
  const from = (value: string) => seenFrom(view.base_url, { "x-forwarded-for": value })
  expect(await from("203.0.113.9")).toBe("203.0.113.9")
  expect(await from("198.51.100.1, 203.0.113.9")).toBe("203.0.113.9")
  expect(await from("198.51.100.1, 203.0.113.9, 10.1.2.3")).toBe("203.0.113.9")
  expect(await from("203.0.113.9, 2001:db8::7, 10.1.2.3")).toBe("203.0.113.9")
  // All are ours: the request was made by the outermost of them.
  expect(await from("10.9.9.9, 10.1.2.3")).toBe("10.9.9.9")
  // This is no address, so no proxy wrote it: the addresses to the left of it are ignored too.
  expect(await from("203.0.113.9, unknown")).toBe("127.0.0.1")
  expect(await seenFrom(view.base_url, {})).toBe("127.0.0.1")
  expect(await isHsts(view.base_url, { "x-forwarded-for": "203.0.113.9", "x-forwarded-proto": "https" })).toBe(true)
  expect(await isHsts(view.base_url, { "x-forwarded-for": "203.0.113.9", "x-forwarded-proto": "http" })).toBe(false)
})
