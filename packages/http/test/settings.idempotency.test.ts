import { Deferred, Effect } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it, vi } from "vitest"
import { keyIn } from "../src/pipeline/idempotencyKey.ts"
import { ids } from "./fixtures.ts"
import { makeSettings } from "./settingsWorld.ts"

type Settings = Awaited<ReturnType<typeof makeSettings>>

const keyed = (key: string, json?: unknown) => ({
  headers: { "idempotency-key": key },
  ...(json !== undefined && { json })
})

const isReplayed = ({ headers }: { readonly headers: Headers }) => headers.get("idempotency-replayed") === "true"

const folders = ({ memory }: Settings) => [...memory.state().folders.values()].map(({ name }) => name)

const minuteMs = 60_000

describe("the Idempotency-Key header", () => {
  const visible = Array.from({ length: 94 }, (_, index) => String.fromCharCode(0x21 + index)).join("")
  const plain = `~${visible}~`

  it.each([
    ["k", "k"],
    ["a".repeat(255), "a".repeat(255)],
    [plain, plain],
    ['"k"', "k"],
    [`"${"a".repeat(255)}"`, "a".repeat(255)],
    [`"${plain.replaceAll(/["\\]/g, "\\$&")}"`, plain],
    ["\\", "\\"],
    ["'k'", "'k'"]
  ])("has a key in %s", (header, key) => expect(keyIn(header)).toBe(key))

  it.each([
    "",
    '""',
    '"',
    '"k',
    'k"',
    '"k"k"',
    '"k\\"',
    '"\\k"',
    '"k";p=1',
    "k k",
    '"k k"',
    "k\t",
    "k, l",
    "é",
    "k\u007f",
    "a".repeat(256),
    `"${"a".repeat(256)}"`
  ])("has no key in %j", (header) => expect(keyIn(header)).toBeUndefined())

  it("is refused with 400 if it is malformed, and nothing changes", async () => {
    const world = await makeSettings()
    const before = folders(world)
    const answer = await world.ask("POST /folders", keyed("a".repeat(256), { name: "New" }))
    expect([answer.status, answer.body.error]).toEqual([
      400,
      "Idempotency-Key must have 1 to 255 visible ASCII characters, with or without double quotes around them"
    ])
    expect(folders(world)).toEqual(before)
  })
})

describe("a POST with an Idempotency-Key", () => {
  it("runs once: its repeat gets the first answer, marked, with no audit entry", async () => {
    const world = await makeSettings()
    const first = await world.ask("POST /folders", keyed("k1", { name: "New" }))
    expect([first.status, isReplayed(first)]).toEqual([201, false])
    const entries = world.entries().length
    await world.ask(`PATCH /folders/${first.body.id}`, { json: { name: "Renamed" } })
    const again = await world.ask("POST /folders", keyed('"k1"', { name: "New" }))
    expect([again.status, again.body, isReplayed(again)]).toEqual([201, first.body, true])
    expect(again.headers.get("x-request-id")).not.toBe(first.headers.get("x-request-id"))
    expect(folders(world).slice(-2)).toEqual(["Theirs", "Renamed"])
    expect(world.entries()).toHaveLength(entries + 1)
  })

  it("is refused with 422 if the key was used with another body or path", async () => {
    const world = await makeSettings()
    await world.ask("POST /folders", keyed("k1", { name: "New" }))
    const other = await world.ask("POST /folders", keyed("k1", { name: "Other" }))
    expect([other.status, other.body.error]).toEqual([
      422,
      "The Idempotency-Key was used for another request: use a new key for each request"
    ])
    expect((await world.ask("POST /users/2/deactivate", keyed("k1"))).status).toBe(200)
    expect((await world.ask("POST /users/3/deactivate", keyed("k1"))).status).toBe(422)
    expect(folders(world).at(-1)).toBe("New")
  })

  it("has separate keys for each operation, user, and kind of credential", async () => {
    const world = await makeSettings()
    const json = { name: "New" }
    const title = { title: "New" }
    const answers = [
      await world.ask("POST /folders", keyed("k1", json)),
      await world.ask("POST /folders", { ...keyed("k1", json), by: "token" }),
      await world.ask("POST /folders", keyed("K1", json)),
      await world.ask("POST /recordings", keyed("k1", title)),
      await world.ask("POST /recordings", { ...keyed("k1", title), as: "bob" })
    ]
    expect(answers.map((answer) => [answer.status, isReplayed(answer)])).toEqual(answers.map(() => [201, false]))
    expect(new Set(answers.map(({ body }) => body.id ?? body.uuid)).size).toBe(5)
  })

  it("can be repeated for 24 hours, and is a new request then", async () => {
    const world = await makeSettings()
    const make = () => world.ask("POST /folders", keyed("k1", { name: "New" }))
    const first = await make()
    await world.wait(24 * 60 * minuteMs - 1)
    expect(isReplayed(await make())).toBe(true)
    await world.wait(1)
    const later = await make()
    expect([later.status, isReplayed(later)]).toEqual([201, false])
    expect(later.body.id).not.toBe(first.body.id)
    expect((await make()).body).toEqual(later.body)
    expect(world.memory.state().storedResponses.size).toBe(1)
  })

  it("stores refusals that depend on the record or its state: 404 and 409", async () => {
    const world = await makeSettings()
    const missing = await world.ask("POST /users/99/reactivate", keyed("k1"))
    expect(missing.status).toBe(404)
    const again = await world.ask("POST /users/99/reactivate", keyed("k1"))
    expect([again.status, again.body, isReplayed(again)]).toEqual([404, missing.body, true])
    const last = await world.ask("POST /users/1/deactivate", keyed("k2"))
    expect(last.status).toBe(409)
    expect(isReplayed(last)).toBe(false)
    const lastAgain = await world.ask("POST /users/1/deactivate", keyed("k2"))
    expect([lastAgain.status, isReplayed(lastAgain)]).toEqual([409, true])
  })

  it("stores no refusal of the request itself, so that the corrected request can use the same key", async () => {
    const world = await makeSettings()
    expect((await world.ask("POST /folders", keyed("k1", { name: "" }))).status).toBe(422)
    expect((await world.ask("POST /folders", { ...keyed("k1"), body: "{" })).status).toBe(415)
    expect((await world.ask("POST /folders", { ...keyed("k1", { name: "N" }), as: "bob" })).status).toBe(403)
    const mended = await world.ask("POST /folders", keyed("k1", { name: "New" }))
    expect([mended.status, isReplayed(mended)]).toEqual([201, false])
  })

  it("is refused if its caller has lost the permission", async () => {
    const world = await makeSettings()
    const cy = { ...keyed("k1", { name: "New" }), as: "bob" }
    await world.ask("PATCH /users/2", { json: { role: "admin" } })
    expect((await world.ask("POST /folders", cy)).status).toBe(201)
    await world.ask("PATCH /users/2", { json: { role: "member" } })
    expect((await world.ask("POST /folders", cy)).status).toBe(403)
  })

  it("is refused with 429 and Retry-After beyond the limit of summaries, which is not stored, and its repeat runs an hour later", async () => {
    const mediaWork = { processes: false, transcripts: "script", summarizes: true } as const
    const world = await makeSettings({ config: { mediaWork } })
    const path = `/recordings/${ids.bobs}`
    // A further import ends the generation that the tenth has started.
    for (let index = 0; index < 11; index++) {
      const json = { segments: [{ start_seconds: 0, text: `Text ${index}` }] }
      expect((await world.ask(`PUT ${path}/transcript/import`, { as: "bob", json })).status).toBe(200)
    }
    const request = () => world.ask(`POST ${path}/summary/request`, { as: "bob", ...keyed("k1") })
    for (let repeat = 0; repeat < 2; repeat++) {
      const { body, headers, status } = await request()
      expect([status, headers.get("retry-after")]).toEqual([429, "3600"])
      expect(body.error).toContain("at most 10 requests an hour for a recording, 20 for a user and 200 for an account")
    }
    expect(world.memory.state().storedResponses.size).toBe(0)
    await world.run(TestClock.adjust("1 hour"))
    expect((await request()).status).toBe(200)
    expect(isReplayed(await request())).toBe(true)
  })

  it("stores nothing if it failed, and its repeat runs", async () => {
    const world = await makeSettings()
    vi.spyOn(world.memory.store.idempotencyKeys, "save").mockReturnValueOnce(Effect.die("no disk"))
    const before = folders(world)
    expect((await world.ask("POST /folders", keyed("k1", { name: "New" }))).status).toBe(500)
    expect(folders(world)).toEqual(before)
    expect((await world.ask("POST /folders", keyed("k1", { name: "New" }))).status).toBe(201)
    expect(folders(world)).toEqual([...before, "New"])
  })

  it("is refused with 409 while the first with its key is in flight, and then gets its answer", async () => {
    const world = await makeSettings()
    const [open, opened] = [Deferred.makeUnsafe<void>(), Deferred.makeUnsafe<void>()]
    vi.spyOn(world.memory.store.idempotencyKeys, "byId").mockImplementationOnce(() => {
      Deferred.doneUnsafe(opened, Effect.void)
      return Effect.as(Deferred.await(open), undefined)
    })
    const first = world.ask("POST /folders", keyed("k1", { name: "New" }))
    await Effect.runPromise(Deferred.await(opened))
    const second = await world.ask("POST /folders", keyed("k1", { name: "New" }))
    expect([second.status, second.body.error]).toEqual([
      409,
      "A request with this Idempotency-Key is in progress: repeat this one when it has ended"
    ])
    Deferred.doneUnsafe(open, Effect.void)
    const { body } = await first
    const third = await world.ask("POST /folders", keyed("k1", { name: "New" }))
    expect([third.body, isReplayed(third)]).toEqual([body, true])
  })

  it("stores its key and answer encrypted", async () => {
    const world = await makeSettings()
    await world.ask("POST /folders", keyed("plain-key", { name: "Plain name" }))
    const kept = JSON.stringify(world.memory.state().storedResponses.valuesArray())
    expect(kept).toContain("sealed")
    expect(kept).not.toContain("plain-key")
    expect(kept).not.toContain("Plain name")
  })

  it("schedules nothing on the agenda", async () => {
    const world = await makeSettings()
    await world.ask("POST /recordings", keyed("k1", { title: "New" }))
    await world.ask("POST /recordings", keyed("k1", { title: "New" }))
    // The audit entry's delivery.
    expect(world.memory.state().agenda.valuesArray()).toMatchObject([{ kind: "attempt" }])
  })
})

describe("a POST that ignores the Idempotency-Key", () => {
  it("runs again with each repeat, whatever the header", async () => {
    const world = await makeSettings()
    const tokens = [
      await world.ask("POST /tokens", keyed("k1", { name: "T" })),
      await world.ask("POST /tokens", keyed("k1", { name: "T" })),
      await world.ask("POST /tokens", keyed("k 1", { name: "T" }))
    ]
    expect(tokens.map(({ status }) => status)).toEqual([201, 201, 201])
    expect(new Set(tokens.map(({ body }) => body.id)).size).toBe(3)
    await world.ask("POST /automations/crm/test", keyed("k1"))
    await world.ask("POST /automations/crm/test", keyed("k1"))
    expect(world.sentTests).toHaveLength(2)
    expect(world.memory.state().storedResponses.size).toBe(0)
  })
})
