import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { parseFences, readFence } from "@tapedeck/tsconfig/fences.ts"
import { expect, onTestFinished, test } from "vitest"
import { listening, run, said, started, temporaryFolder } from "./support/command.ts"

/** Compares the samples of output in the documents with what is printed. */

const documents = ["docs/operating.md", "docs/server.md", "docs/cluster.md", "README.md", "apps/server/README.md"]

const fences = documents.flatMap((path) =>
  parseFences(path, readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8"))
)
/** What a reader types; the other blocks are output. */
const inputs = ["sh", "ini", "nginx", "sql", "ts", "yaml"]
const left = new Set(fences.flatMap(({ code, language }) => (inputs.includes(language) ? [] : [code])))

const sampleWith = (text: string): string => {
  const found = [...left].filter((code) => code.includes(text))
  expect(found, `one sample with ${text}`).toHaveLength(1)
  left.delete(found[0]!)
  return found[0]!
}

/** Without what differs between two runs, and the width of columns. */
const shape = (text: string): string =>
  text
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "INSTANT")
    .replace(/\d+:[\w-]{43}/g, "HEAD")
    .replace(/(?<=token=)[\w-]+/g, "TOKEN")
    .replace(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g, "UUID")
    .replace(/(?<=127\.0\.0\.1:)\d+/g, "PORT")
    .replace(/\b\d+\b/g, "N")
    .replace(/(?<=\S) {2,}/g, "  ")

const uuid = "00000000-0000-4000-8000-000000000001"
const dayMs = 24 * 3_600_000

const fixtures = {
  users: [{ email: "ada@acme.test", name: "Ada", role: "admin", token: "ada-token" }],
  folders: [{ id: "vip", name: "VIP" }],
  automations: [{ id: "vip-to-crm", folder: "vip", url: "https://10.1.2.3/hook" }],
  recordings: [{ uuid, title: "One", user: "ada@acme.test" }]
}

const changed = (data: string, body: (database: DatabaseSync) => void) => {
  const database = new DatabaseSync(join(data, "tapedeck.db"))
  body(database)
  database.close()
}

const putEntry = (database: DatabaseSync, id: number, at: number) => {
  const metadata = { targetType: "recording", targetId: uuid, changes: {} }
  const entry = { id, accountId: 1, eventType: "recording.updated", status: "success", at, userId: null }
  database
    .prepare(
      "INSERT INTO audit_entries (id, account_id, user_id, event_type, target_id, at, document) VALUES (?, 1, NULL, ?, ?, ?, ?)"
    )
    .run(
      id,
      entry.eventType,
      metadata.targetId,
      at,
      JSON.stringify({ ...entry, ipAddress: null, userAgent: null, metadata })
    )
  database.exec(`
    INSERT INTO audit_entry_counts (account_id, event_type, entries) VALUES (1, 'recording.updated', 1)
    ON CONFLICT (account_id, event_type) DO UPDATE SET entries = entries + 1`)
}

test("the samples of doctor and of the link for the first admin are what is printed", async () => {
  const data = join(temporaryFolder(), "data")
  const { output } = await started(["--data", data])
  await expect.poll(() => output.out).toContain("or start with --demo")
  expect(shape(output.out)).toContain(shape(sampleWith("No admin exists yet")))
  const { out } = await run(["doctor", "--data", data])
  expect(shape(out.replaceAll(data, "/var/lib/tapedeck"))).toBe(shape(sampleWith("only its owner may read it")))
})

test("the lines of the sample of config are printed", async () => {
  const block = fences.find(({ code }) => code.includes("/etc/tapedeck/tapedeck.yaml <<'END'"))!.code
  const file = join(temporaryFolder(), "tapedeck.yaml")
  writeFileSync(file, /<<'END'\n([\s\S]*?)END\n/.exec(block)![1]!)
  const { out } = await run(["config", "--config", file])
  const printed = shape(out.replaceAll(file, "/etc/tapedeck/tapedeck.yaml")).split("\n")
  for (const line of shape(sampleWith("rec.acme.example  ")).split("\n")) expect(printed).toContain(line)
})

test("the samples of audit verify are what is printed", async () => {
  const data = join(temporaryFolder(), "data")
  await (await listening(["--data", data])).stop()
  changed(data, (database) => {
    putEntry(database, 1, Date.now() - 3 * dayMs)
    // A clock that is a day ahead of the newest entry is not trusted at once.
    putEntry(database, 2, Date.now() - dayMs / 2)
  })
  type Report = { readonly accounts: ReadonlyArray<{ readonly head: string; readonly waiting: number }> }
  const reported = async () => {
    const { out } = await run(["audit", "verify", "--data", data, "--json"])
    return (JSON.parse(out) as Report).accounts[0]
  }
  const server = await listening(["--data", data])
  await expect.poll(async () => (await reported())?.waiting).toBe(0)
  await server.stop()
  const head = (await reported())!.head
  const printed = async () =>
    shape((await run(["audit", "verify", "--data", data, "--account", "1", "--head", head])).out)

  const replace = (from: string, to: string) =>
    changed(data, (database) => {
      database.prepare("UPDATE audit_entries SET document = replace(document, ?, ?) WHERE id = 2").run(from, to)
    })
  replace("success", "failure")
  expect(await printed()).toBe(shape(sampleWith("1 fault")))
  replace("failure", "success")

  const pruning = await listening(["--data", data], { TAPEDECK_KEEP_AUDIT: "P2D" })
  await said(pruning, '"audit_entries":1')
  await pruning.stop()
  expect(await printed()).toBe(shape(sampleWith("pruned: places")))
})

test("the sample of an explanation is the answer of a server", async () => {
  const file = join(temporaryFolder(), "fixtures.json")
  writeFileSync(file, JSON.stringify(fixtures))
  const { stop, view } = await listening(["--store", "memory", "--fixtures", file])
  onTestFinished(async () => void (await stop()))
  const call = async <A>(path: string, init: RequestInit = {}): Promise<A> => {
    const headers = { authorization: "Bearer ada-token", "content-type": "application/json" }
    const answer = await fetch(`${view.base_url}/api/settings${path}`, { ...init, headers })
    return (await answer.json()) as A
  }
  await call(`/recordings/${uuid}/folder`, { method: "PUT", body: JSON.stringify({ folder_id: "vip" }) })
  type List = { readonly deliveries: ReadonlyArray<{ readonly id: string; readonly state: string }> }
  const first = async () => (await call<List>("/automations/vip-to-crm/deliveries")).deliveries[0]
  await expect.poll(async () => (await first())?.state).toBe("waiting")
  const answer = await call(`/deliveries/${(await first())!.id}/explain`)
  const sample: unknown = JSON.parse(sampleWith(readFence("docs/operating.md", "json", "waiting_for_retry")))
  expect(shape(JSON.stringify(answer))).toBe(shape(JSON.stringify(sample)))
})

test("every sample of output is compared", () => {
  expect([...left]).toEqual([])
})
