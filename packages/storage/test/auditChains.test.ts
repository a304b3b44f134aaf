import { DatabaseSync } from "node:sqlite"
import {
  type AuditReport,
  Ids,
  type KnownHead,
  macToVerify,
  pruneAuditEntries,
  type StoreParts,
  sealAuditEntries,
  storeContext,
  storeOf,
  Vault,
  verifyAudit,
  wholeStore
} from "@tapedeck/core"
import { AccountId, AuditEntryId, Instant } from "@tapedeck/domain"
import type { AuditEntry } from "@tapedeck/domain/audit"
import { Effect, Exit, type Scope } from "effect"
import { describe, expect, test } from "vitest"
import { openAuditChains, rotateKey } from "../src/sqlite/index.ts"
import { databaseIn, openStore, temporaryDirectory, vaultOf } from "./openStore.ts"
import { acme, ada, start } from "./samples.ts"

const vault = vaultOf(7)
const other = AccountId.make(2)

const entryOf = (id: number, accountId = acme.id): AuditEntry => ({
  id: AuditEntryId.make(id),
  accountId,
  eventType: id % 2 === 0 ? "recording.updated" : "access.denied",
  status: "success",
  at: Instant.make(start + id * 1_000),
  userId: ada.id,
  ipAddress: "203.0.113.9",
  userAgent: "Ünï \u0000 🎥",
  metadata: {
    targetType: "recording",
    targetId: `r${id}`,
    changes: { b: { from: 1, to: null }, a: { from: "x", to: 2 } }
  }
})

const inStore = <A, E>(directory: string, body: Effect.Effect<A, E, StoreParts | Vault | Ids>, key = vault) =>
  Effect.flatMap(openStore(directory, key), (store) =>
    body.pipe(Effect.provide(storeContext(store)), Effect.provideService(Vault, key), Effect.provide(Ids.layerRandom))
  ).pipe(Effect.scoped)

const append = (...entries: ReadonlyArray<AuditEntry>) =>
  Effect.gen(function* () {
    const { auditEntries, transaction } = yield* storeOf("auditEntries", "transaction")
    yield* transaction(Effect.forEach(entries, auditEntries.append))
  })

const sealAll = Effect.gen(function* () {
  while ((yield* sealAuditEntries).size > 0);
})

/** Ten linked entries of one account, among them one of another. */
const written = Effect.gen(function* () {
  const directory = yield* temporaryDirectory
  const ids = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
  yield* inStore(directory, Effect.andThen(append(...ids.map((id) => entryOf(id)), entryOf(11, other)), sealAll))
  return directory
})

const verified = (directory: string, known: KnownHead | null = null, account = acme.id, key = vault) =>
  Effect.gen(function* () {
    const chains = yield* openAuditChains(databaseIn(directory), key)
    return yield* verifyAudit(chains, yield* macToVerify(chains), account, known)
  }).pipe(Effect.provideService(Vault, key), Effect.scoped)

const tamper = (directory: string, ...statements: ReadonlyArray<string>) =>
  Effect.sync(() => {
    const database = new DatabaseSync(databaseIn(directory))
    for (const statement of statements) database.exec(statement)
    database.close()
  })

const findings = ({ findings }: AuditReport) =>
  findings.map(({ entryId, kind, seq }) => [kind, seq, entryId === null ? null : Number(entryId)])

/** What a person with the database but not its key does, and what shows. */
const tamperings: ReadonlyArray<{
  readonly does: string
  readonly statements: ReadonlyArray<string>
  readonly shows: ReadonlyArray<readonly [string, number | null, number | null]>
}> = [
  {
    does: "changes what an entry says",
    statements: [`UPDATE audit_entries SET document = replace(document, '203.0.113.9', '203.0.113.8') WHERE id = 4`],
    shows: [["changed", 4, 4]]
  },
  {
    does: "adds to what an entry says",
    statements: [`UPDATE audit_entries SET document = replace(document, '"status"', '"note":1,"status"') WHERE id = 4`],
    shows: [["changed", 4, 4]]
  },
  ...[
    ["user_id", "NULL"],
    ["user_id", "9"],
    ["event_type", "'user.login'"],
    ["target_id", "'9'"],
    ["at", "1"],
    ["account_id", "2"]
  ].map(([column, value]) => ({
    does: `hides an entry from lists that go by ${column} (${value})`,
    statements: [`UPDATE audit_entries SET ${column} = ${value} WHERE id = 4`],
    shows: [["changed", 4, 4]] as const
  })),
  {
    does: "makes an entry unreadable",
    statements: [`UPDATE audit_entries SET document = '{' WHERE id = 4`],
    shows: [["changed", 4, 4]]
  },
  { does: "removes an entry", statements: ["DELETE FROM audit_entries WHERE id = 4"], shows: [["missing", 4, 4]] },
  {
    does: "removes an entry with its link",
    statements: ["DELETE FROM audit_entries WHERE id = 4", "DELETE FROM audit_seals WHERE entry_id = 4"],
    shows: [["missing", 4, null]]
  },
  {
    does: "removes an entry with its link and closes the gap",
    statements: [
      "DELETE FROM audit_entries WHERE id = 9",
      "DELETE FROM audit_seals WHERE entry_id = 9",
      "UPDATE audit_seals SET seq = seq - 1 WHERE account_id = 1 AND seq > 9"
    ],
    shows: [["changed", 9, 10]]
  },
  {
    does: "removes the first entries",
    statements: ["DELETE FROM audit_entries WHERE id < 3", "DELETE FROM audit_seals WHERE entry_id < 3"],
    shows: [
      ["missing", 1, null],
      ["missing", 2, null]
    ]
  },
  {
    does: "lets two entries change their numbers",
    statements: [
      "UPDATE audit_entries SET id = 99 WHERE id = 4",
      "UPDATE audit_entries SET id = 4 WHERE id = 6",
      "UPDATE audit_entries SET id = 6 WHERE id = 99"
    ],
    shows: [
      ["reordered", 4, 4],
      ["reordered", 6, 6]
    ]
  },
  {
    does: "lets two links change their entries",
    statements: [
      "UPDATE audit_seals SET entry_id = 99 WHERE entry_id = 4",
      "UPDATE audit_seals SET entry_id = 4 WHERE entry_id = 5",
      "UPDATE audit_seals SET entry_id = 5 WHERE entry_id = 99"
    ],
    shows: [
      ["changed", 4, 5],
      ["reordered", 5, 4]
    ]
  },
  {
    does: "inserts an entry in a gap of the numbers",
    statements: [
      "DELETE FROM audit_entries WHERE id = 4",
      `INSERT INTO audit_entries SELECT 4, account_id, user_id, event_type, target_id, at, replace(document, '"id":5', '"id":4') FROM audit_entries WHERE id = 5`
    ],
    shows: [["changed", 4, 4]]
  },
  {
    does: "takes the link of an entry away",
    statements: ["DELETE FROM audit_seals WHERE entry_id = 4"],
    shows: [
      ["missing", 4, null],
      ["inserted", null, 4]
    ]
  },
  {
    does: "changes a link",
    statements: ["UPDATE audit_seals SET link = 'made up' WHERE entry_id = 4"],
    shows: [
      ["changed", 4, 4],
      ["changed", 5, 5]
    ]
  },
  {
    does: "changes when an entry was linked",
    statements: ["UPDATE audit_seals SET sealed_at = 1 WHERE entry_id = 4"],
    shows: [["changed", 4, 4]]
  },
  {
    does: "claims that the first were pruned",
    statements: [
      "DELETE FROM audit_entries WHERE id < 3",
      "INSERT INTO audit_checkpoints SELECT account_id, seq, entry_id, 1, link, 1, 'made up' FROM audit_seals WHERE entry_id = 2",
      "DELETE FROM audit_seals WHERE entry_id < 3"
    ],
    shows: [["checkpoint", 2, 2]]
  }
]

const run = <A, E>(body: Effect.Effect<A, E, Scope.Scope>) => Effect.runPromise(Effect.scoped(body))

describe("the audit log's chains on SQLite (A5)", () => {
  test("are valid for each account, also beside an open store", () =>
    run(
      Effect.gen(function* () {
        const directory = yield* written
        expect(yield* verified(directory)).toMatchObject({ links: 10, head: { seq: 10 }, found: 0, waiting: 0 })
        expect(yield* verified(directory, null, other)).toMatchObject({ links: 1, head: { seq: 1 }, found: 0 })
        yield* openStore(directory, vault)
        expect(yield* verified(directory)).toMatchObject({ links: 10, found: 0 })
      })
    ))

  test.each(tamperings)("reveal that a user $does", ({ shows, statements }) =>
    run(
      Effect.gen(function* () {
        const directory = yield* written
        yield* tamper(directory, ...statements)
        const report = yield* verified(directory)
        expect(findings(report)).toEqual(shows)
        expect(report.found).toBe(shows.length)
      })
    )
  )

  test("reveal an entry that was inserted at an unused number", () =>
    run(
      Effect.gen(function* () {
        const directory = yield* temporaryDirectory
        yield* inStore(directory, Effect.andThen(append(entryOf(1), entryOf(3)), sealAll))
        yield* inStore(directory, append(entryOf(2)))
        // It is not linked after the fact either.
        yield* inStore(directory, sealAll)
        expect(findings(yield* verified(directory))).toEqual([["inserted", null, 2]])
      })
    ))

  test("reveal a removed tail by a known head", () =>
    run(
      Effect.gen(function* () {
        const directory = yield* written
        const { head } = yield* verified(directory)
        expect(yield* verified(directory, head)).toMatchObject({ found: 0 })
        yield* tamper(
          directory,
          "DELETE FROM audit_entries WHERE id IN (9, 10)",
          "DELETE FROM audit_seals WHERE entry_id IN (9, 10)"
        )
        expect(findings(yield* verified(directory))).toEqual([])
        expect(findings(yield* verified(directory, head))).toEqual([["cut_off", 10, null]])
        // What comes after takes the places of what was there: it has other links.
        yield* inStore(directory, Effect.andThen(append(entryOf(12), entryOf(13)), sealAll))
        expect(findings(yield* verified(directory, head))).toEqual([["rewritten", 10, null]])
      })
    ))

  test("reveal a complete new chain by a known head", () =>
    run(
      Effect.gen(function* () {
        const directory = yield* written
        const { head } = yield* verified(directory)
        yield* tamper(directory, "DELETE FROM audit_seals", "DELETE FROM meta WHERE name = 'audit_chain_key'")
        yield* inStore(directory, sealAll)
        expect(findings(yield* verified(directory, head))).toEqual([["rewritten", 10, null]])
      })
    ))

  test("reveal a removed or replaced key, even if it is replaced by another sealed text", () =>
    run(
      Effect.gen(function* () {
        const directory = yield* written
        const known = yield* Effect.provide(vault.seal("a token whose text is known"), Ids.layerRandom)
        for (const value of [known, "made up"]) {
          yield* tamper(directory, `UPDATE meta SET value = '${value}' WHERE name = 'audit_chain_key'`)
          expect((yield* Effect.flip(verified(directory))).message).toContain("was replaced")
        }
        yield* tamper(directory, "DELETE FROM meta WHERE name = 'audit_chain_key'")
        expect((yield* Effect.flip(verified(directory))).message).toContain("was removed from the database")
        // And no new one is made: the chain is not gone on with.
        yield* inStore(directory, append(entryOf(12)))
        const sealing = yield* Effect.exit(inStore(directory, sealAuditEntries))
        expect(Exit.isFailure(sealing) && String(sealing.cause)).toContain("removed from the database")
      })
    ))

  test("stay valid after a rotation of the vault's key", () =>
    run(
      Effect.gen(function* () {
        const directory = yield* written
        const { head } = yield* verified(directory)
        const next = vaultOf(8)
        yield* Effect.provide(rotateKey(databaseIn(directory), { from: vault, to: next }), Ids.layerRandom)
        expect(yield* verified(directory, head, acme.id, next)).toMatchObject({ found: 0, links: 10 })
        expect(yield* Effect.flip(verified(directory))).toMatchObject({ _tag: "OtherKey" })
        yield* inStore(directory, Effect.andThen(append(entryOf(12)), sealAll), next)
        expect(yield* verified(directory, head, acme.id, next)).toMatchObject({ found: 0, links: 11 })
      })
    ))
})

describe("pruning audit entries", () => {
  const countOf = (directory: string) =>
    inStore(
      directory,
      Effect.flatMap(storeOf("auditEntries"), ({ auditEntries }) =>
        Effect.map(auditEntries.page({ accountId: acme.id }, { offset: 0, limit: 100 }), ({ count, items }) => [
          count,
          items.length
        ])
      )
    )

  const olderThan = (id: number) => pruneAuditEntries(Instant.make(start + id * 1_000))

  test("leaves a valid chain with a checkpoint, to which later entries are linked", () =>
    run(
      Effect.gen(function* () {
        const directory = yield* written
        expect(yield* inStore(directory, olderThan(5))).toBe(4)
        const pruned = { seq: 4, entryId: 4, lastAt: start + 4_000 }
        expect(yield* verified(directory)).toMatchObject({ found: 0, links: 6, pruned, head: { seq: 10 } })
        expect(yield* countOf(directory)).toEqual([6, 6])
        // All of it, to the last entry.
        expect(yield* inStore(directory, olderThan(99))).toBe(7)
        yield* inStore(directory, Effect.andThen(append(entryOf(12)), sealAll))
        expect(yield* verified(directory)).toMatchObject({ found: 0, links: 1, pruned: { seq: 10 }, head: { seq: 11 } })
        expect(yield* countOf(directory)).toEqual([1, 1])
      })
    ))

  test("does not remove entries without a link", () =>
    run(
      Effect.gen(function* () {
        const directory = yield* written
        yield* inStore(directory, append(entryOf(12)))
        expect(yield* inStore(directory, olderThan(99))).toBe(11)
        expect(yield* verified(directory)).toMatchObject({ found: 0, links: 0, waiting: 1, head: { seq: 10 } })
        expect(yield* countOf(directory)).toEqual([1, 1])
      })
    ))

  test("stops before a changed entry", () =>
    run(
      Effect.gen(function* () {
        const directory = yield* written
        yield* tamper(directory, "DELETE FROM audit_entries WHERE id = 4")
        expect(yield* inStore(directory, olderThan(99))).toBe(4)
        expect(findings(yield* verified(directory))).toEqual([["missing", 4, 4]])
      })
    ))

  test("removes in batches, each a transaction: a failed one changes nothing", () =>
    run(
      Effect.gen(function* () {
        const directory = yield* temporaryDirectory
        const ids = Array.from({ length: 450 }, (_, index) => index + 1)
        yield* inStore(directory, Effect.andThen(append(...ids.map((id) => entryOf(id))), sealAll))
        const dying = Effect.gen(function* () {
          const store = yield* wholeStore
          let batches = 0
          const prune: typeof store.auditSeals.prune = (checkpoint) =>
            Effect.andThen(
              store.auditSeals.prune(checkpoint),
              Effect.suspend(() => (++batches === 2 ? Effect.die("the machine stops") : Effect.void))
            )
          const failing = { ...store, auditSeals: { ...store.auditSeals, prune } }
          return yield* Effect.exit(Effect.provide(olderThan(999), storeContext(failing)))
        })
        expect(Exit.isFailure(yield* inStore(directory, dying))).toBe(true)
        expect(yield* verified(directory)).toMatchObject({ found: 0, links: 250, pruned: { seq: 200 } })
        expect((yield* countOf(directory))[0]).toBe(250)
        expect(yield* inStore(directory, olderThan(450))).toBe(249)
        expect(yield* verified(directory)).toMatchObject({ found: 0, links: 1, pruned: { seq: 449 } })
        expect(yield* countOf(directory)).toEqual([1, 1])
      })
    ))

  test("reveals a changed checkpoint and pruned entries that reappear", () =>
    run(
      Effect.gen(function* () {
        const directory = yield* written
        yield* inStore(directory, olderThan(5))
        yield* tamper(directory, "UPDATE audit_checkpoints SET last_at = last_at + 1 WHERE account_id = 1")
        expect(findings(yield* verified(directory))).toEqual([["checkpoint", 4, 4]])
        yield* tamper(directory, "UPDATE audit_checkpoints SET last_at = last_at - 1 WHERE account_id = 1")
        yield* inStore(directory, append(entryOf(3)))
        expect(findings(yield* verified(directory))).toEqual([["inserted", null, 3]])
      })
    ))
})
