import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Ids, type Store, sealedShareLink, shareLinkHash, type Vault } from "@tapedeck/core"
import type { SessionId } from "@tapedeck/domain"
import type { Claim } from "@tapedeck/domain/delivery"
import { Effect, Exit, Scope } from "effect"
import { describe, expect, test } from "vitest"
import { makeSqliteDatabase } from "../src/sqlite/client.ts"
import { isKeyOf, rotateKey } from "../src/sqlite/index.ts"
import { databaseIn, openStore, temporaryDirectory, vaultOf } from "./openStore.ts"
import { acme, aDelivery, aDestination, ada, anAutomation, aToken, start } from "./samples.ts"

const [oldKey, newKey] = [vaultOf(1), vaultOf(2)]

/** Texts that must not be found on the disk. */
const secrets = {
  token: "plain-token-text",
  automation: "plain-automation-secret",
  previous: "plain-previous-secret",
  automationHeader: "plain-automation-header",
  destination: "plain-destination-secret",
  destinationHeader: "plain-destination-header",
  sentHeader: "plain-header-that-was-sent",
  heldHeader: "plain-header-of-a-held-result",
  orphanHeader: "plain-header-of-a-receiver-that-is-gone",
  chainKey: "plain-key-of-the-audit-chains",
  password: "plain-hash-of-a-password",
  keptAnswer: "plain-answer-to-a-keyed-request",
  shareLink: JSON.stringify({ token: "plain-token-of-a-share-link", password: null })
}

const shareToken = sealedShareLink(secrets.shareLink).token

const automation = anAutomation({
  secret: secrets.automation,
  previousSecrets: [{ secret: secrets.previous, expiresAt: start }],
  headers: { "X-Api-Key": secrets.automationHeader }
})
const destination = aDestination({ secret: secrets.destination, headers: { "X-Api-Key": secrets.destinationHeader } })

const aRequest = (header: string) => ({
  method: "POST",
  url: automation.url,
  headers: [
    ["content-type", "application/json"],
    ["x-api-key", header],
    ["webhook-id", "plain-id"]
  ] as const
})

/** Everything of which a part is secret. */
const writeSecrets = Effect.fnUntraced(function* (store: Store, vault: Vault["Service"]) {
  yield* store.accounts.save(acme)
  yield* store.users.save(ada)
  yield* store.tokens.save(aToken(vault.hash(secrets.token), yield* vault.seal(secrets.token)))
  yield* store.auditSeals.saveChainKey(yield* vault.seal(secrets.chainKey))
  yield* store.passwords.save({ userId: ada.id, sealed: yield* vault.seal(secrets.password), changedAt: start })
  yield* store.idempotencyKeys.save({
    id: "k1",
    caller: "1 session",
    sealed: yield* vault.seal(secrets.keptAnswer),
    expiresAt: start
  })
  yield* store.shareLinks.add({
    id: "link",
    accountId: acme.id,
    recordingUuid: "00000000-0000-4000-8000-000000000001" as never,
    createdBy: ada.id,
    hash: shareLinkHash(vault, shareToken),
    sealed: yield* vault.seal(secrets.shareLink),
    createdAt: start,
    expiresAt: null
  })
  yield* store.automations.save(automation)
  yield* store.destinations.save(destination)
  yield* store.deliveries.insert(aDelivery("sent"))
  yield* store.deliveries.insert({ ...aDelivery("orphan"), automationId: "gone" as never })
  yield* store.deliveries.insert(aDelivery("held"))
  const [sent, orphan, held] = yield* store.deliveries.claim({ limit: 3, leaseMs: 1_000 })
  const result = { outcome: "failure", statusCode: 500, response: null, error: null } as const
  const failed = (claim: Claim, header: string) =>
    store.deliveries.settle(claim, (delivery) => ({
      ...delivery,
      state: { _tag: "PermanentlyFailed", at: start },
      attempts: [{ ...result, attempt: 1, at: start, elapsedMs: 0, endedAt: start, request: aRequest(header) }]
    }))
  yield* failed(sent!, secrets.sentHeader)
  yield* failed(orphan!, secrets.orphanHeader)
  yield* store.deliveries.hold(held!, { ...result, request: aRequest(secrets.heldHeader) }, start)
}, Effect.provide(Ids.layerRandom))

/** What can be read of it with this key. */
const readSecrets = Effect.fnUntraced(function* (store: Store, vault: Vault["Service"]) {
  const token = (yield* store.tokens.holder(vault.hash(secrets.token)))?.token
  const [held] = yield* store.deliveries.claim({ limit: 1, leaseMs: 0 })
  const chainKey = yield* store.auditSeals.chainKey
  const password = yield* store.passwords.ofUser(ada.id)
  const keptAnswer = yield* store.idempotencyKeys.byId("k1")
  const link = yield* store.shareLinks.byHash(shareLinkHash(vault, shareToken))
  return {
    token: token && (yield* vault.open(token.sealed)),
    automation: yield* store.automations.byId(automation.id),
    destination: yield* store.destinations.byId(destination.id),
    sent: (yield* store.deliveries.byId(aDelivery("sent").id))?.attempts[0]?.request,
    orphan: (yield* store.deliveries.byId(aDelivery("orphan").id))?.attempts[0]?.request,
    held: held?.result?.request,
    chainKey: chainKey && (yield* vault.open(chainKey)),
    password: password && (yield* vault.open(password.sealed)),
    keptAnswer: keptAnswer && (yield* vault.open(keptAnswer.sealed)),
    shareLink: link && (yield* vault.open(link.sealed))
  }
})

const everything = {
  token: secrets.token,
  automation,
  destination,
  sent: aRequest(secrets.sentHeader),
  orphan: aRequest(secrets.orphanHeader),
  held: aRequest(secrets.heldHeader),
  chainKey: secrets.chainKey,
  password: secrets.password,
  keptAnswer: secrets.keptAnswer,
  shareLink: secrets.shareLink
}

const inDirectory = <A, E>(body: (directory: string) => Effect.Effect<A, E, Scope.Scope | Ids>) =>
  Effect.flatMap(temporaryDirectory, body).pipe(Effect.scoped, Effect.provide(Ids.layerRandom), Effect.runPromise)

/** A closed directory with the secrets, sealed with the old key. */
const writtenBefore = (directory: string) =>
  Effect.scoped(Effect.flatMap(openStore(directory, oldKey), (store) => writeSecrets(store, oldKey)))

/** The bytes of all files in the directory. */
const bytesIn = (directory: string) =>
  Buffer.concat(
    readdirSync(directory, { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => readFileSync(join(directory, name)))
  )

describe("secrets", () => {
  test("are read as they were saved", () =>
    inDirectory((directory) =>
      Effect.gen(function* () {
        yield* writtenBefore(directory)
        expect(yield* readSecrets(yield* openStore(directory, oldKey), oldKey)).toEqual(everything)
      })
    ))

  test("are nowhere on the disk in plain text, while the store is open and afterwards (S3, R19)", () =>
    inDirectory((directory) =>
      Effect.gen(function* () {
        const open = yield* Scope.make()
        const store = yield* Scope.provide(openStore(directory, oldKey), open)
        yield* writeSecrets(store, oldKey)
        const found = () => Object.values(secrets).filter((secret) => bytesIn(directory).includes(secret))
        expect(bytesIn(directory).includes(automation.url)).toBe(true)
        // Only the values of custom headers are secrets, where it is known which those are.
        expect(bytesIn(directory).includes("plain-id")).toBe(true)
        expect(found()).toEqual([])
        yield* Scope.close(open, Exit.void)
        expect(found()).toEqual([])
      })
    ))
})

/** Every text in the database that was made with the old key. */
const sealedTexts = (directory: string) =>
  Effect.gen(function* () {
    const { database } = yield* makeSqliteDatabase(databaseIn(directory))
    const rows = yield* database.query<[string]>(
      `SELECT sealed FROM tokens UNION ALL SELECT hash FROM tokens UNION ALL SELECT sealed FROM automations
       UNION ALL SELECT sealed FROM passwords UNION ALL SELECT sealed FROM destinations UNION ALL SELECT value FROM meta WHERE name = 'audit_chain_key'
       UNION ALL SELECT coalesce(document ->> '$.request.sealed', document ->> '$.request.headers') FROM delivery_attempts`
    )
    return rows.map(([text]) => text)
  }).pipe(Effect.scoped)

/** Pieces of these texts that are still somewhere in the directory. */
const remnantsOf = (texts: ReadonlyArray<string>, directory: string) => {
  const bytes = bytesIn(directory)
  return texts.flatMap((text) => text.match(/.{32}/g) ?? []).filter((piece) => bytes.includes(piece))
}

describe("a change of the key", () => {
  const change = (directory: string) => rotateKey(databaseIn(directory), { from: oldKey, to: newKey })

  test("makes everything readable with the new key, and the old key is refused", () =>
    inDirectory((directory) =>
      Effect.gen(function* () {
        yield* writtenBefore(directory)
        yield* change(directory)
        const refusal = yield* Effect.flip(Effect.scoped(openStore(directory, oldKey)))
        expect(refusal.message).toContain("sealed with another key")
        expect(yield* readSecrets(yield* openStore(directory, newKey), newKey)).toEqual(everything)
      })
    ))

  test("leaves no secret of the old key on the disk", () =>
    inDirectory((directory) =>
      Effect.gen(function* () {
        yield* writtenBefore(directory)
        const before = yield* sealedTexts(directory)
        expect(before).toHaveLength(8)
        yield* change(directory)
        expect(remnantsOf(before, directory)).toEqual([])
      })
    ))

  test("leaves no secret that was replaced before", () =>
    inDirectory((directory) =>
      Effect.gen(function* () {
        const save = (headers: Readonly<Record<string, string>>) =>
          Effect.scoped(
            Effect.flatMap(openStore(directory, oldKey), (store) => store.automations.save({ ...automation, headers }))
          )
        yield* writtenBefore(directory)
        // Of several pages, which are free afterwards.
        yield* save({ "X-Long": "long ".repeat(5_000) })
        const before = yield* sealedTexts(directory)
        yield* save({})
        expect(remnantsOf(before, directory)).not.toEqual([])
        yield* change(directory)
        expect(remnantsOf(before, directory)).toEqual([])
      })
    ))

  test("removes sessions and links, whose hashes depend on the key", () =>
    inDirectory((directory) =>
      Effect.gen(function* () {
        const [at, later] = [start, (start + 1_000) as typeof start]
        const session = {
          id: "s" as SessionId,
          userId: ada.id,
          hash: oldKey.hash("s"),
          method: "password" as const,
          createdAt: at,
          seenAt: at,
          expiresAt: later,
          ipAddress: null,
          userAgent: null
        }
        const link = {
          hash: oldKey.hash("l"),
          userId: ada.id,
          purpose: "password" as const,
          createdAt: at,
          expiresAt: later
        }
        yield* writtenBefore(directory)
        yield* Effect.scoped(
          Effect.flatMap(openStore(directory, oldKey), (store) =>
            Effect.all([
              store.sessions.save(session),
              store.signInLinks.replace(link),
              store.tryWindows.count({ key: oldKey.hash("t"), tries: 1, endsAt: later }, at)
            ])
          )
        )
        yield* change(directory)
        const store = yield* openStore(directory, newKey)
        expect(yield* store.sessions.ofUser(ada.id)).toEqual([])
        expect(yield* store.signInLinks.byHash(link.hash)).toBeUndefined()
        expect(yield* store.tryWindows.byKey(oldKey.hash("t"))).toBeUndefined()
      })
    ))

  test("includes more rows than one batch", () =>
    inDirectory((directory) =>
      Effect.gen(function* () {
        const names = Array.from({ length: 450 }, (_, index) => `automation ${String(index).padStart(3, "0")}`)
        const automations = names.map((id) => ({ ...automation, id: id as typeof automation.id, secret: id }))
        const write = (store: Store) =>
          store.transaction(Effect.forEach(automations, store.automations.save, { discard: true }))
        yield* Effect.scoped(Effect.flatMap(openStore(directory, oldKey), write))
        yield* change(directory)
        expect(yield* (yield* openStore(directory, newKey)).automations.ofAccount(acme.id)).toEqual(automations)
      })
    ))

  test("changes nothing if it is repeated, as after a crash before the key's file was renamed", () =>
    inDirectory((directory) =>
      Effect.gen(function* () {
        yield* writtenBefore(directory)
        expect(yield* isKeyOf(databaseIn(directory), oldKey)).toBe(true)
        expect(yield* isKeyOf(databaseIn(directory), newKey)).toBe(false)
        yield* change(directory)
        expect(yield* isKeyOf(databaseIn(directory), oldKey)).toBe(false)
        expect(yield* isKeyOf(databaseIn(directory), newKey)).toBe(true)
        yield* change(directory)
        expect(yield* readSecrets(yield* openStore(directory, newKey), newKey)).toEqual(everything)
      })
    ))

  test("is refused from another key than the database's, and changes nothing if it fails", () =>
    inDirectory((directory) =>
      Effect.gen(function* () {
        yield* writtenBefore(directory)
        const wrong = yield* Effect.flip(rotateKey(databaseIn(directory), { from: vaultOf(3), to: newKey }))
        expect(wrong.message).toContain("sealed with another key")
        // It fails in the middle: the destinations come after the automations.
        let seals = 0
        const breaking: Vault["Service"] = {
          ...newKey,
          seal: (text) => (++seals > 2 ? Effect.die(new Error("aborted")) : newKey.seal(text))
        }
        const exit = yield* Effect.exit(rotateKey(databaseIn(directory), { from: oldKey, to: breaking }))
        expect([Exit.isFailure(exit), seals]).toEqual([true, 3])
        expect(yield* readSecrets(yield* openStore(directory, oldKey), oldKey)).toEqual(everything)
      })
    ))
})
