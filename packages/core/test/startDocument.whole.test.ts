import { AccountId } from "@tapedeck/domain"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { Store } from "../src/Store.ts"
import { loadStartDocument } from "../src/startDocument/load.ts"
import { type StartDocument, startDocumentJsonSchema } from "../src/startDocument/schema.ts"
import { makeWorld, type TestWorld } from "./startDocumentWorld.ts"

/** The example of emulator.md, with a UUID written out. */
const example: StartDocument = {
  account: { name: "Acme", api_access: true },
  users: [
    { email: "ada@acme.test", name: "Ada", role: "admin", token: "secret-token" },
    { email: "bob@acme.test", name: "Bob", role: "member" }
  ],
  recordings: [
    {
      uuid: "7d0f3c1e-5b0a-4c57-9d3e-2f1f6a8b9c10",
      title: "Checkout fails",
      user: "bob@acme.test",
      recording_type: "Received",
      helpdesk: { platform: "zendesk", ticket_id: "4711" },
      created_at: "2026-01-01T09:00:00.000Z",
      duration: 42,
      video: { original: { base64: "AAAA", content_type: "video/webm" }, processed: null, edited: null },
      transcript: {
        script: [
          { at: "PT0S", status: "processing" },
          { at: "PT30S", status: "ready" }
        ],
        language: "en",
        segments: [{ start_seconds: 0, end_seconds: 4, text: "Hello" }]
      }
    },
    { helpdesk: { platform: "jira", ticket_id: "SUP-1" }, folder: "f1", video: { edited: { size: 100 } } }
  ],
  folders: [{ id: "f1", name: "VIP" }, { name: "Other" }],
  sinks: [{ id: "crm", respond: [500, 200] }],
  automations: [
    { id: "a1", folder: "f1", url: "sink:crm", secret: "k", method: "POST", headers: {}, payload: null },
    { folder: "f1", url: "sink:crm" }
  ],
  audit_destinations: [{ name: "SIEM", url: "sink:crm", secret: "s", timeout_seconds: 30, max_retries: 6, filters: {} }]
}

/** All that a world holds, as text: counters, files and sealed tokens included. */
const contents = ({ memory }: TestWorld): string => {
  const { counters, leases, ...tables } = memory.state()
  return JSON.stringify({
    counters,
    leases,
    ...Object.fromEntries(Object.entries(tables).map(([name, table]) => [name, [...table.entries()]]))
  })
}

describe("the same document", () => {
  it("gives the same world, byte for byte, from the same seed", async () => {
    const [one, other] = [makeWorld("7"), makeWorld("7")]
    expect(await one.load(example)).toEqual(await other.load(example))
    expect(contents(one)).toBe(contents(other))
  })

  it("has other ids, tokens and secrets from another seed", async () => {
    const [one, other] = [await makeWorld("1").load(example), await makeWorld("2").load(example)]
    const drawn = ({ made }: typeof one) => [
      made.users[1]!.token,
      made.recordings[1]!.uuid,
      made.folders[1]!.id,
      made.automations[1]!.id,
      made.automations[1]!.secret,
      made.audit_destinations[0]!.id
    ]
    for (const [index, text] of drawn(one).entries()) expect(text).not.toBe(drawn(other)[index])
    expect(new Set(drawn(one)).size).toBe(6)
  })
})

describe("what was made", () => {
  it("is a start document that makes the same in another world", async () => {
    const one = makeWorld("1")
    const first = await one.load(example)
    const other = makeWorld("2")
    const second = await other.load(first.made)
    expect(second).toEqual(first)
    const recordings = async ({ run, store }: TestWorld) => {
      const part = await run(store.recordings.page({ accountId: AccountId.make(1) }, { offset: 0, limit: 10 }))
      return part.items.map(({ video: _, ...recording }) => recording)
    }
    expect(await recordings(other)).toEqual(await recordings(one))
  })
})

describe("a document that is added to a world", () => {
  const added = {
    users: [{ email: "cyd@acme.test", name: "Cyd" }],
    recordings: [{ user: "ADA@acme.test", folder: "f1", account: 1 }, { user: "cyd@acme.test" }],
    automations: [{ folder: "f1", url: "sink:crm" }],
    audit_destinations: [{ name: "Second", url: "sink:crm" }]
  }

  it("may refer to what the world holds, and goes to its first account", async () => {
    const world = makeWorld()
    await world.load(example)
    const { made } = await world.load(added, { takenSinks: new Set(["crm"]) })
    expect(made.account).toBeUndefined()
    expect(made.users.map(({ account, id }) => [account, id])).toEqual([[1, 3]])
    expect(made.recordings.map(({ account, id }) => [account, id])).toEqual([
      [1, 3],
      [1, 4]
    ])
    expect(await world.run(world.store.accounts.list)).toHaveLength(1)
  })

  it("may bring an account of its own, which is then the first", async () => {
    const world = makeWorld()
    await world.load(example)
    const { made } = await world.load({ account: { name: "Other" }, users: [{ email: "o@other.test", name: "O" }] })
    expect([made.account?.id, made.users[0]!.account]).toEqual([2, 2])
    expect(await world.problems({ account: { name: "Third" }, recordings: [{ user: "ada@acme.test" }] })).toEqual([
      "recordings[0].user: ada@acme.test is a user of another account"
    ])
  })

  it("cannot take what is taken there", async () => {
    const world = makeWorld()
    const { made } = await world.load(example)
    const options = { vendor: "Tapedeck", allowHttp: true, sinkUrl: (id: string) => id, takenSinks: new Set(["crm"]) }
    const problems = await world.problems(
      {
        account: { id: 1 },
        users: [
          { email: "ADA@acme.test", name: "A" },
          { email: "n@n", name: "N", token: "secret-token", id: 2 }
        ],
        recordings: [{ id: 2, uuid: example.recordings![0]!.uuid!.toUpperCase() }],
        folders: [{ id: "f1", name: "F" }],
        sinks: [{ id: "crm" }],
        automations: [{ id: "a1", folder: "f1", url: "sink:crm" }],
        audit_destinations: [{ id: made.audit_destinations[0]!.id, name: "S", url: "sink:crm" }]
      },
      options
    )
    expect(problems).toEqual([
      "account.id: this id is taken in this world",
      "users[0].email: this e-mail address is taken in this world",
      "users[1].token: this token is taken in this world",
      "users[1].id: this id is taken in this world",
      "recordings[0].id: this id is taken in this world",
      "recordings[0].uuid: this UUID is taken in this world",
      "folders[0].id: this id is taken in this world",
      "sinks[0].id: this id is taken in this world",
      "automations[0].id: this id is taken in this world",
      "audit_destinations[0].id: this id is taken in this world"
    ])
  })
})

describe("all of it or none", () => {
  it("a document that is refused leaves no trace: counters and ids go on as if it had not been", async () => {
    const [tried, untried] = [makeWorld(), makeWorld()]
    for (const world of [tried, untried]) await world.load(example)
    const before = contents(tried)
    const bad = { ...example, recordings: [...example.recordings!, { user: "nobody@acme.test" }] }
    expect(await tried.problems(bad)).not.toEqual([])
    expect(await tried.problems({ accounts: [{}, {}], recordings: [{ folder: "none" }] })).not.toEqual([])
    expect(contents(tried)).toBe(before)
    const next = { users: [{ email: "new@acme.test", name: "New" }], folders: [{ name: "New" }] }
    expect(await tried.load(next)).toEqual(await untried.load(next))
  })

  it("is part of the transaction in which it is loaded", async () => {
    const world = makeWorld()
    const options = { vendor: "Tapedeck", allowHttp: true }
    const twice = Effect.gen(function* () {
      const store = yield* Store
      yield* loadStartDocument({ users: [{ email: "a@b", name: "A" }] }, options)
      expect(yield* store.users.byEmail("a@b")).toBeDefined()
      yield* loadStartDocument({ users: [{ email: "a@b", name: "A" }] }, options)
    })
    await expect(world.run(Effect.flatMap(Store, (store) => store.transaction(twice)))).rejects.toThrow(
      "users[0].email: this e-mail address is taken in this world"
    )
    expect(await world.run(world.store.users.byEmail("a@b"))).toBeUndefined()
  })

  it("keys with the value undefined count as left out", async () => {
    const world = makeWorld()
    const { made } = await world.load({
      users: undefined,
      recordings: [{ title: undefined, customer: { email: undefined } }]
    })
    expect(made.recordings[0]!.title).toBeNull()
  })
})

describe("the JSON Schema", () => {
  const schema = startDocumentJsonSchema() as unknown as JsonSchema

  interface JsonSchema {
    readonly type?: string
    readonly description?: string
    readonly required?: ReadonlyArray<string>
    readonly additionalProperties?: unknown
    readonly properties?: Readonly<Record<string, JsonSchema>>
    readonly items?: JsonSchema
    readonly anyOf?: ReadonlyArray<JsonSchema>
  }

  const everyObject = (one: JsonSchema): ReadonlyArray<JsonSchema> => [
    ...(one.properties === undefined ? [] : [one]),
    ...[...Object.values(one.properties ?? {}), ...(one.anyOf ?? []), ...(one.items ? [one.items] : [])].flatMap(
      everyObject
    )
  ]

  it("stands alone, without references", () => {
    expect(JSON.stringify(schema)).not.toContain("$ref")
  })

  it("knows the contract's keys, and those that are required", () => {
    const { properties = {} } = schema
    expect(Object.keys(properties)).toEqual([
      "config",
      "account",
      "accounts",
      "users",
      "recordings",
      "folders",
      "sinks",
      "automations",
      "audit_destinations"
    ])
    const required = Object.entries(properties).map(([key, { items }]) => [key, items?.required ?? []])
    expect(Object.fromEntries(required)).toMatchObject({
      users: ["email", "name"],
      recordings: [],
      folders: ["name"],
      sinks: [],
      automations: ["folder", "url"],
      audit_destinations: ["name", "url"]
    })
  })

  it("refuses unknown keys everywhere, and describes every key", () => {
    const objects = everyObject(schema)
    expect(objects.length).toBeGreaterThan(20)
    for (const { additionalProperties, properties = {} } of objects) {
      expect(additionalProperties).toBe(false)
      for (const [key, { description }] of Object.entries(properties)) expect(description, key).toBeTruthy()
    }
  })
})
