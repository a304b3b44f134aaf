import type { Store } from "@tapedeck/core"
import { JobPool } from "@tapedeck/domain/internal/jobs"
import { recordingOrders } from "@tapedeck/domain/internal/recordings"
import { Effect, identity } from "effect"
import { readContent, writeContent } from "./content.ts"
import { aCapture, aCaptureLink, aMail, aRedelivery, aSite } from "./samples.ts"

/** Asks an empty store whatever it can be asked: for those who look at the statements behind it. */
export const everyStatement = (store: Store) =>
  Effect.gen(function* () {
    yield* writeContent(store)
    yield* readContent(store)
    yield* store.agenda.next(JobPool.literals)
    for (const state of ["Waiting", "Delivered", "Cancelled"] as const) {
      yield* store.deliveries.page({ automationId: "a" as never, state }, { offset: 0, limit: 10 }, identity)
    }
    yield* store.deliveries.list({ destinationId: "a" as never, state: "Scheduled" })
    yield* store.deliveries.list({ recordingUuid: "a" as never })
    for (const filter of [{ automationId: "a" }, { destinationId: "a" }, { recordingUuid: "a" }]) {
      yield* store.deliveries.page(filter as never, { offset: 0, limit: 10 }, identity)
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
      {},
      { automationId: "a", event: "a", since },
      { destinationId: "a", statusCode: 500 },
      { recordingUuid: "a", state: "Delivered" },
      { state: "PermanentlyFailed" },
      { state: "Waiting" }
    ]) {
      for (const after of [null, 1])
        yield* store.deliveries.search({ accountId, ...filter } as never, after, 10, identity)
    }
    for (const order of recordingOrders) {
      const key = order.endsWith("title") ? "a" : 0
      for (const filter of [
        {},
        { terms: [{ words: ["a"], exact: ["b"], owner: "a" }] },
        { uuid: "a" },
        { type: "Sent" as const, since }
      ]) {
        for (const after of [null, { key, id: 1 }])
          yield* store.recordings.search({ accountId, order, ...filter }, after, 9)
      }
    }
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
      { targetId: "1" },
      { targetId: "1", eventTypes, since },
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
    yield* store.deliveries.prune({ createdBefore: 9e15 as never, after: null, limit: 9 })
    const { jobs, shareLinks } = store
    yield* jobs.enqueueOnce({ ...aMail("a"), dueAt: since })
    const [job] = yield* jobs.claim({ slots: { mail: 1, media: 1, step: 1 }, leaseMs: 1 })
    yield* Effect.all([jobs.renew(job!, 1), jobs.postpone(job!, job!.job), jobs.finish(job!)])
    yield* Effect.all([jobs.byIds(["a"]), jobs.claimById("a", 1), jobs.cancel(["a"])])
    yield* Effect.all([shareLinks.byHash("a"), shareLinks.ofRecording("a" as never), shareLinks.remove("a")])
    yield* Effect.all([store.users.activeAdmins(accountId, 9), store.tokens.use("a" as never, since)])
    const { redeliveries, statistics } = store
    for (const one of [{}, { receiver: "a:crm" as const }]) {
      yield* statistics.byHour({ accountId, since, until: 9e15 as never, ...one })
      yield* statistics.byReceiver({ accountId, since, until: 9e15 as never, ...one })
    }
    yield* Effect.all([statistics.health(accountId), statistics.health(accountId, "a:crm")])
    yield* statistics.prune(accountId, since)
    yield* Effect.all([redeliveries.byId("a" as never), redeliveries.ofAccount(accountId)])
    yield* redeliveries.save(aRedelivery("a"))
    yield* redeliveries.remove("a" as never)
    const { passwords, sessions, signInLinks, tryWindows } = store
    yield* Effect.all([sessions.prune(9e15 as never), sessions.remove("a" as never), signInLinks.prune(9e15 as never)])
    yield* Effect.all([signInLinks.removeOf(userId), tryWindows.prune(9e15 as never), tryWindows.remove("a")])
    const window = { key: "a", tries: 1, endsAt: since }
    yield* Effect.all([
      tryWindows.count(window, since),
      tryWindows.uncount("a", 1),
      tryWindows.extend(window, since, 1)
    ])
    yield* store.rateWindows.count("a" as never, since, 1)
    yield* Effect.all([passwords.ofUser(userId), sessions.ofUser(userId), sessions.holder("a")])
    const { idempotencyKeys } = store
    const kept = { id: "0123456789abcdef", caller: "1 access", sealed: "", expiresAt: since }
    yield* store.transaction(Effect.andThen(idempotencyKeys.lock(kept.id), idempotencyKeys.save(kept)))
    yield* idempotencyKeys.byId(kept.id)
    yield* idempotencyKeys.prune({ now: since, caller: kept.caller, maxPerCaller: 1 })
    const [recording] = (yield* store.recordings.page({ accountId }, slice)).items
    yield* store.recordings.byId(recording!.id)
    yield* store.recordings.save({ ...recording!, folderId: null })
    yield* store.recordings.save(recording!)
    yield* store.recordings.leaveFolder({ accountId, id: recording!.folderId! }, { after: null, limit: 9 })
    yield* store.recordings.removedFolders
    yield* store.files.add(new Map([["added", { kind: "made_up", sizeBytes: 1 }]]))
    yield* store.recordings.add([
      { ...recording!, id: 99 as never, uuid: "00000000-0000-4000-8000-000000000099" as never }
    ])
    yield* store.recordingParts.save(recording!.id, { legacyText: "a", edited: [] })
    yield* store.recordingParts.read(recording!.id, "legacyText")
    yield* store.recordingParts.segments(recording!.id, "edited", slice)
    yield* store.recordings.countView(recording!.id)
    yield* store.recordings.save({ ...recording!, ownerId: null })
    const after = { mark: 0, rank: -1, id: 0 }
    for (const owner of [{}, { ownerId: userId }]) {
      yield* store.recordings.changesSince({ accountId, ...owner, after: null, limit: 9 })
      yield* store.recordings.changesSince({ accountId, ...owner, after, removalsFrom: 1, limit: 9 })
    }
    yield* store.recordings.remove(recording!.uuid)
    yield* store.recordings.forgetRemovals(Number.MAX_SAFE_INTEGER as never)
    const seenRecordings = ["a" as never, "b" as never]
    yield* store.recordings.markSeen(seenRecordings[0]!, { userId, expiresAt: since })
    yield* store.recordings.seenBy(userId, seenRecordings)
    yield* store.recordings.forgetSeen(since)
    yield* Effect.all([store.deliveries.byId("a" as never), store.deliveries.queue, store.jobs.counts])
    yield* store.auditSeals.oldestUnlinkedAt
    yield* Effect.all([store.automations.byId("a" as never), store.automations.ofFolder("a" as never)])
    yield* everyStatementOfCaptures(store)
    yield* Effect.all([store.folders.byId("a" as never), store.folders.remove("a" as never)])
    yield* Effect.all([store.automations.remove("a" as never), store.destinations.remove("a" as never)])
  })

/** Those of sites, capture links and captures. */
const everyStatementOfCaptures = ({ captureLinks, captures, sites }: Store) =>
  Effect.gen(function* () {
    const [accountId, createdBy, at] = [1 as never, 1 as never, 0 as never]
    yield* sites.save(aSite("a"))
    yield* Effect.all([
      sites.byId("a"),
      sites.byKey(aSite("a").key),
      sites.list(accountId),
      sites.allow("https://a.a.test")
    ])
    yield* captureLinks.save(aCaptureLink("a"))
    yield* Effect.all([captureLinks.byId("a"), captureLinks.byHash(aCaptureLink("a").tokenHash)])
    for (const filter of [{ accountId }, { accountId, createdBy }]) {
      yield* captureLinks.page(filter, { offset: 0, limit: 10 })
    }
    yield* captures.save(aCapture("a"))
    yield* captures.addPiece("a", { kind: "video", sequence: 1, uploadId: "a", fileId: "a", sizeBytes: 1 })
    yield* captures.saveToken({ hash: "a", captureId: "a", kind: "log", expiresAt: at })
    yield* Effect.all([captures.byId("a"), captures.byToken("a"), captures.ofRecording(aCapture("a").recordingUuid)])
    yield* captures.pieces("a", "video")
    yield* Effect.all([captures.removePiecesOf("a", "a"), captures.removePieces("a")])
    yield* Effect.all([captures.pruneTokens(at), captures.removeTokens("a", ["log"]), captures.removeToken("a")])
    yield* Effect.all([captures.remove("a"), sites.remove("a")])
  })
