import type { Store } from "@tapedeck/core"
import { Effect } from "effect"
import { migrations } from "../src/sql/migrations/index.ts"
import { readContent, writeContent } from "./versions/content.ts"

/** Asks an empty store whatever it can be asked: for those who look at the statements behind it. */
export const everyStatement = (store: Store["Service"]) =>
  Effect.gen(function* () {
    yield* writeContent(store, migrations.length)
    yield* readContent(store)
    yield* store.agenda.next
    for (const state of ["Waiting", "Delivered", "Cancelled"] as const) {
      yield* store.deliveries.page({ automationId: "a" as never, state }, { offset: 0, limit: 10 })
    }
    yield* store.deliveries.list({ destinationId: "a" as never, state: "Scheduled" })
    yield* store.deliveries.list({ recordingUuid: "a" as never })
    for (const filter of [{ automationId: "a" }, { destinationId: "a" }, { recordingUuid: "a" }]) {
      yield* store.deliveries.page(filter as never, { offset: 0, limit: 10 })
    }
    for (const receiver of [{ automationId: "a" as never }, { destinationId: "a" as never }]) {
      yield* store.deliveries.cancelOf(receiver, { at: 0 as never, limit: 10, progress: null })
    }
    const claims = yield* store.deliveries.claim({ limit: 10, leaseMs: 1, allocate: (keys) => keys.map(() => 1) })
    yield* store.deliveries.renew(claims, 1)
    yield* store.users.countActiveAdmins(1 as never)
    yield* store.users.byEmail("ada@acme.test")
    yield* store.accounts.list
    const [accountId, userId, since, slice] = [1 as never, 1 as never, 0 as never, { offset: 0, limit: 10 }]
    const eventTypes = ["user.login", "recording.updated"] as const
    yield* Effect.all([store.users.byId(userId), store.accounts.byId(accountId), store.tokens.page(userId, slice)])
    yield* store.users.page({ accountId: accountId }, slice)
    yield* store.recordings.storedBytes({ accountId, ownerId: userId })
    for (const filter of [
      { ownerId: userId },
      { ownerId: userId, folderId: "a" as never },
      { ticket: { ticketId: "1" } },
      { ticket: { ticketId: "1", platform: "zendesk" as const }, ownerId: userId }
    ]) {
      yield* store.recordings.page({ accountId, ...filter }, slice)
      yield* store.recordings.page({ accountId, ...filter }, { offset: 5, limit: 5 })
    }
    for (const filter of [
      { userId },
      { since },
      { since, until: since },
      { eventTypes },
      { eventTypes, userId, since }
    ]) {
      yield* store.auditEntries.page({ accountId, ...filter }, slice)
    }
    yield* store.auditEntries.newestUntil(since)
    const { auditSeals } = store
    for (const read of [auditSeals.chainKey, auditSeals.lastSealed, auditSeals.next(9), auditSeals.head(accountId)]) {
      yield* read
    }
    yield* auditSeals.nextAccount(0)
    yield* auditSeals.checkpoint(accountId)
    yield* auditSeals.after(accountId, 0, 9)
    yield* auditSeals.unlinked(accountId, 0, 9)
    yield* auditSeals.waiting(accountId)
    const seal = { accountId, seq: 1, entryId: 1 as never, link: "" }
    yield* auditSeals.add({ ...seal, sealedAt: since })
    yield* auditSeals.prune({ ...seal, lastAt: since, prunedAt: since, signature: "" })
    yield* store.deliveries.prune({ madeBefore: 9e15 as never, behind: null, limit: 9 })
    yield* store.mediaJobs.claim({ limit: 1, leaseMs: 1 })
    const { passwords, sessions, signInLinks, tryWindows } = store
    yield* Effect.all([sessions.prune(since), sessions.remove("a" as never), signInLinks.prune(since)])
    yield* Effect.all([signInLinks.removeOf(userId), tryWindows.prune(since), tryWindows.remove("a")])
    yield* Effect.all([passwords.ofUser(userId), sessions.ofUser(userId), sessions.holder("a")])
    const { idempotencyKeys } = store
    const kept = { id: "0123456789abcdef", caller: "1 access", sealed: "", expiresAt: since }
    yield* store.transaction(Effect.andThen(idempotencyKeys.lock(kept.id), idempotencyKeys.save(kept)))
    yield* idempotencyKeys.byId(kept.id)
    yield* idempotencyKeys.prune({ now: since, caller: kept.caller, maxPerCaller: 1 })
    yield* store.mediaJobs.ofRecording("a" as never)
    const [recording] = (yield* store.recordings.page({ accountId }, slice)).items
    yield* store.recordings.byId(recording!.id)
    yield* store.recordings.save({ ...recording!, folderId: null })
    yield* store.recordings.save(recording!)
    yield* store.recordings.leaveFolder(recording!.folderId!)
    yield* store.recordingParts.save(recording!.id, { legacyText: "a", edited: [] })
    yield* store.recordingParts.read(recording!.id, "legacyText")
    yield* store.recordingParts.segments(recording!.id, "edited", slice)
    yield* store.recordings.countView(recording!.id)
    yield* store.recordings.remove(recording!.uuid)
    yield* Effect.all([store.deliveries.byId("a" as never), store.deliveries.queue])
    yield* Effect.all([store.automations.byId("a" as never), store.automations.ofFolder("a" as never)])
    yield* Effect.all([store.folders.byId("a" as never), store.folders.remove("a" as never)])
    yield* Effect.all([store.automations.remove("a" as never), store.destinations.remove("a" as never)])
  })
