import {
  auditAccounts,
  macToVerify,
  makeMemoryStore,
  Vault,
  verifyAudit,
  WorldStateDocument,
  worldStateOfDocument
} from "@tapedeck/core"
import { startEmulator } from "@tapedeck/emulator"
import { Effect, Redacted, Schema } from "effect"
import { afterAll, beforeAll, expect, test } from "vitest"
import type { RunningWorld, Snapshot } from "../src/index.ts"
import { seededKey } from "../src/world/seeded.ts"

const [first, second] = [1, 2].map((n) => `7d0f3c1e-0000-4000-8000-00000000000${n}`) as [string, string]
const headers = { authorization: "Bearer ada-token", "content-type": "application/json" }

const fixtures = {
  users: [{ email: "ada@acme.test", name: "Ada", role: "admin" as const, token: "ada-token" }],
  recordings: [first, second].map((uuid) => ({ uuid, title: "Checkout fails", user: "ada@acme.test" })),
  sinks: [{ id: "crm", respond: [200] }],
  folders: [{ id: "vip", name: "VIP" }],
  automations: [{ id: "a1", folder: "vip", url: "sink:crm" }]
}

let emulator: Awaited<ReturnType<typeof startEmulator>>
beforeAll(async () => {
  emulator = await startEmulator()
})
afterAll(() => emulator.close())

const rename = async (world: RunningWorld, title: string) => {
  const body = JSON.stringify({ recording: { title } })
  const response = await world.fetch(`/api/v2/recordings/${first}`, { method: "PATCH", headers, body })
  expect(response.status).toBe(200)
}

const remove = async (world: RunningWorld, uuid: string) => {
  const response = await world.fetch(`/api/settings/recordings/${uuid}`, { method: "DELETE", headers })
  expect(response.status).toBeLessThan(300)
}

const runsOf = async (world: RunningWorld, job: "retention" | "seal") => {
  const { entries } = await world.journal.read({ kind: "job" })
  return entries.flatMap((one) => (one.kind === "job" && one.job === job ? [one.at] : []))
}

/** The report of each chain of a snapshot. */
const chainsOf = ({ present, seed }: Snapshot) => {
  const document = Schema.decodeUnknownSync(WorldStateDocument)(present.store)
  const { auditSeals } = makeMemoryStore(worldStateOfDocument(document)).store
  const verified = Effect.gen(function* () {
    const mac = yield* macToVerify(auditSeals)
    const accounts = yield* auditAccounts(auditSeals)
    return yield* Effect.forEach(accounts, (account) => verifyAudit(auditSeals, mac, account, null))
  })
  return Effect.runPromise(Effect.provideService(verified, Vault, Vault.make(Redacted.make(seededKey(seed)))))
}

test("seals and retention are in `repeating`, and hold up neither `idle` nor `next`", async () => {
  const world = await emulator.createWorld({ fixtures })
  expect(await world.clock.get()).not.toHaveProperty("repeating")
  await remove(world, second)
  await world.addToFolder("vip", first)
  expect(await world.clock.advance({ until: "idle" })).toMatchObject({
    now: "2026-01-01T00:00:00.000Z",
    repeating: 2,
    next: null
  })
  expect(await world.clock.advance({ next: true })).toMatchObject({ now: "2026-01-01T00:00:00.000Z", fired: [] })
  expect((await world.clock.get()).repeating).toEqual([
    { at: "2026-01-01T00:00:01.000Z", kind: "seal", id: "seal" },
    { at: "2026-01-31T00:00:00.001Z", kind: "retention", id: "retention" }
  ])
  expect(await world.clock.advance({ by: "PT1S" })).toMatchObject({ fired: [], repeating: 1 })
  expect(await runsOf(world, "seal")).toEqual(["2026-01-01T00:00:01.000Z"])
  await world.remove()
})

test("a running clock seals audit entries, at the exact instant", async () => {
  const world = await emulator.createWorld({ fixtures })
  await rename(world, "Login loops")
  await world.clock.set({ mode: "running", rate: 1_000 })
  const [sealed] = await world.journal.wait({ match: { kind: "job", job: "seal" }, timeout_ms: 10_000 })
  expect(sealed).toMatchObject({ at: "2026-01-01T00:00:01.000Z", outcome: "success" })
  await world.remove()
})

test("a running clock removes expired records, at the exact instant", async () => {
  const world = await emulator.createWorld({ fixtures })
  await remove(world, first)
  await world.clock.advance({ by: "P30D" })
  await world.clock.set({ mode: "running", rate: 1_000 })
  const [removed] = await world.journal.wait({ match: { kind: "job", job: "retention" }, timeout_ms: 10_000 })
  expect(removed).toMatchObject({ at: "2026-01-31T00:00:00.001Z", outcome: "success" })
  await world.remove()
})

test("`keep_logs` removes an ended delivery at its instant, and keeps a pending one", async () => {
  const world = await emulator.createWorld({ config: { keep_logs: "P1D" }, fixtures })
  const [ended] = await world.addToFolder("vip", first)
  await world.clock.advance({ by: "PT23H" })
  await world.sinks.respond("crm", [500])
  const [pending] = await world.addToFolder("vip", second)
  const idsAfter = async (by: string) => {
    await world.clock.advance({ by })
    return (await world.deliveries()).map(({ id }) => id)
  }
  expect(await idsAfter("PT1H")).toEqual([ended, pending])
  expect(await idsAfter("PT0.001S")).toEqual([pending])
  expect(await world.deliveries()).toMatchObject([{ state: "waiting" }])
  expect(await idsAfter("PT22H59M59.999S")).toEqual([pending])
  expect(await idsAfter("PT0.001S")).toEqual([])
  expect(await runsOf(world, "retention")).toEqual(["2026-01-02T00:00:00.001Z", "2026-01-02T23:00:00.001Z"])
  await world.remove()
})

test("`keep_audit` removes entries and leaves a chain that verifies", async () => {
  const world = await emulator.createWorld({ config: { keep_audit: "P1D" }, fixtures })
  await rename(world, "Login loops")
  await world.clock.advance({ by: "PT12H" })
  await rename(world, "Logout loops")
  await world.clock.advance({ by: "PT12H" })
  expect(await chainsOf(await world.snapshot())).toMatchObject([{ links: 2, pruned: null, found: 0, waiting: 0 }])
  await world.clock.advance({ by: 1 })
  const chains = await chainsOf(await world.snapshot())
  expect(chains).toMatchObject([{ links: 1, pruned: { seq: 1 }, found: 0, waiting: 0 }])
  const list = await world.fetch("/api/settings/audit-entries", { headers })
  expect(((await list.json()) as { audit_entries: ReadonlyArray<unknown> }).audit_entries).toHaveLength(1)
  await world.clock.advance({ by: "P1D" })
  expect(await chainsOf(await world.snapshot())).toMatchObject([{ links: 0, pruned: { seq: 2 }, found: 0 }])
  await world.remove()
})

test("a restored world writes the same seals and journal, byte for byte, and a reset removes both", async () => {
  const config = { keep_logs: "P2D", keep_audit: "P1D" }
  const world = await emulator.createWorld({ config, fixtures })
  const other = await emulator.createWorld()
  await rename(world, "Login loops")
  await world.addToFolder("vip", first)
  await world.clock.advance({ by: "PT1S" })
  await rename(world, "Logout loops")
  await other.restore(await world.snapshot())
  const ends = []
  for (const one of [world, other]) {
    await one.clock.advance({ by: "P40D" })
    ends.push(JSON.stringify(await one.snapshot()))
  }
  expect(ends[1]).toBe(ends[0])
  await other.reset()
  const { present } = await other.snapshot()
  expect(present.store.auditChain).toBeUndefined()
  expect(await other.journal.read()).toEqual({ entries: [], dropped: 0 })
  await world.remove()
  await other.remove()
})

test("a snapshot whose audit chains have lost their key is refused, and changes nothing", async () => {
  const world = await emulator.createWorld({ fixtures })
  await rename(world, "Login loops")
  await world.clock.advance({ by: "PT1S" })
  const snapshot = await world.snapshot()
  const { auditChain, ...store } = snapshot.present.store
  const restored = (chain: object) =>
    world.restore({ ...snapshot, present: { ...snapshot.present, store: { ...store, ...chain } } })
  await expect(restored({})).rejects.toMatchObject({
    problems: [
      { path: "present.store.auditChain", message: "The key of the audit chains was removed from the database" }
    ]
  })
  await expect(restored({ auditChain: { ...auditChain!, key: "bm8=" } })).rejects.toMatchObject({
    problems: [{ path: "present.store.auditChain", message: "The key of the audit chains was replaced" }]
  })
  expect(await world.snapshot()).toEqual(snapshot)
  await world.remove()
})

test("a cursor of `updated_since` from before a forgotten removal answers 410", async () => {
  const world = await emulator.createWorld({ fixtures })
  const changes = (cursor: string) => world.fetch(`/api/settings/recordings?updated_since=${cursor}`, { headers })
  const { pagination } = (await (await changes("")).json()) as { pagination: { next_since: string } }
  await remove(world, first)
  await world.clock.advance({ by: "P30D" })
  expect((await changes(pagination.next_since)).status).toBe(200)
  await world.clock.advance({ by: 1 })
  expect((await changes(pagination.next_since)).status).toBe(410)
  await world.remove()
})

test("retention runs while records expire, and not in the centuries after that", async () => {
  const world = await emulator.createWorld({ fixtures })
  await world.addToFolder("vip", first)
  await remove(world, second)
  const move = await world.clock.advance({ to: "9999-01-01T00:00:00.000Z" })
  expect(move).toMatchObject({ pending_count: 0, reached: true })
  expect(move).not.toHaveProperty("repeating")
  // The statistics of the delivery alone are no reason for a run.
  expect(await runsOf(world, "retention")).toEqual(["2026-01-31T00:00:00.001Z"])
  await world.remove()
})

test("retention is due when the oldest record expires, however long none did", async () => {
  const world = await emulator.createWorld({ config: { keep_audit: "P1D" }, fixtures })
  await world.clock.advance({ by: "P100D" })
  await rename(world, "Login loops")
  expect((await world.clock.get()).repeating).toEqual([
    { at: "2026-04-11T00:00:01.000Z", kind: "seal", id: "seal" },
    { at: "2026-04-12T00:00:00.001Z", kind: "retention", id: "retention" }
  ])
  await world.clock.advance({ by: 0 })
  expect(await runsOf(world, "retention")).toEqual([])
  await world.remove()
})

test("retention runs at most every 10 minutes", async () => {
  const world = await emulator.createWorld({ config: { keep_audit: "P1D" }, fixtures })
  for (const title of ["Login loops", "Logout loops"]) {
    await rename(world, title)
    await world.clock.advance({ by: "PT6M" })
  }
  await world.clock.advance({ by: "P2D" })
  expect(await runsOf(world, "retention")).toEqual(["2026-01-02T00:00:00.001Z", "2026-01-02T00:10:00.001Z"])
  await world.remove()
})

test("audit entries that were tampered with stay, and cause one run", async () => {
  const world = await emulator.createWorld({ config: { keep_audit: "P1D" }, fixtures })
  await rename(world, "Login loops")
  await world.clock.advance({ by: "PT1S" })
  const { present, ...snapshot } = await world.snapshot()
  const { auditChain, ...store } = present.store
  const seals = auditChain!.seals.map((seal) => ({ ...seal, link: "0".repeat(seal.link.length) }))
  await world.restore({
    ...snapshot,
    present: { ...present, store: { ...store, auditChain: { ...auditChain!, seals } } }
  })
  const move = await world.clock.advance({ to: "9999-01-01T00:00:00.000Z" })
  expect(move).toMatchObject({ pending_count: 0, reached: true })
  expect(move).not.toHaveProperty("repeating")
  expect(await runsOf(world, "retention")).toEqual(["2026-01-02T00:00:00.001Z"])
  expect((await world.snapshot()).present.store.auditEntries).toHaveLength(1)
  await world.remove()
})

test("a restored world follows the retention times of its snapshot, without a job of retention too", async () => {
  const world = await emulator.createWorld({ fixtures })
  const [delivery] = await world.addToFolder("vip", first)
  await remove(world, second)
  const snapshot = await world.snapshot()
  await world.restore({ ...snapshot, config: { ...snapshot.config, keep_audit: "P1D", keep_logs: "P2D" } })
  await world.clock.advance({ by: "P1DT0.001S" })
  expect((await world.snapshot()).present.store.auditEntries).toEqual([])
  const { present, ...settings } = await world.snapshot()
  expect(present.store.jobs).toMatchObject([{ job: { kind: "retention" } }])
  await world.restore({ ...settings, present: { ...present, store: { ...present.store, jobs: [] } } })
  expect(await world.deliveries()).toMatchObject([{ id: delivery }])
  await world.clock.advance({ by: "P1D" })
  expect(await world.deliveries()).toEqual([])
  await world.remove()
})

test("a retention time is at least a day", async () => {
  for (const name of ["keep_logs", "keep_audit"] as const) {
    const world = await emulator.createWorld({ config: { [name]: "PT24H" } })
    expect((await world.world()).config).toMatchObject({ [name]: "PT24H" })
    await world.remove()
    await expect(emulator.createWorld({ config: { [name]: "PT23H59M59.999S" } })).rejects.toMatchObject({
      problems: [{ path: `config.${name}`, message: "must be a duration of at least a day, such as P90D, or null" }]
    })
  }
})
