import type { AuditEntry, Instant, User } from "@tapedeck/domain"
import { Clock, Context, Effect, Exit, type Fiber, Latch, Semaphore, Stream } from "effect"
import { ChangeLog } from "../changes/ChangeLog.ts"
import { withChanges } from "../changes/withChanges.ts"
import { type AuditEntryFilter, partOf, type Store } from "../Store.ts"
import * as AuditSeals from "./auditSeals.ts"
import { makeCaptureRepositories } from "./captureRepositories.ts"
import * as Deliveries from "./deliveries.ts"
import { readFile } from "./files.ts"
import * as IdempotencyKeys from "./idempotencyKeys.ts"
import * as Mails from "./mails.ts"
import * as MediaJobs from "./mediaJobs.ts"
import * as Recordings from "./recordings.ts"
import * as Redeliveries from "./redeliveries.ts"
import { searchRecordings } from "./searchRecordings.ts"
import * as SignIn from "./signIn.ts"
import * as Statistics from "./statistics.ts"
import { Draft, type WorldState } from "./WorldState.ts"

/** A transaction of one store. It ends with its body: a fiber that the body left behind is no longer part of it. */
interface Transaction {
  readonly owner: object
  readonly draft: Draft
  isOver: boolean
}

/** The transaction that the fiber was started in. */
const CurrentTransaction = Context.Reference<Transaction | null>("@tapedeck/core/memory/CurrentTransaction", {
  defaultValue: () => null
})

/** A store in memory, and its whole state as one value to take out and to put back. */
export interface MemoryStore {
  readonly store: Store["Service"]
  readonly state: () => WorldState
  /** A transaction that is open changes nothing any more, and others do not wait for it. */
  readonly replace: (state: WorldState) => void
  /** The next number of this name, from 1. It is part of the state: a transaction that fails takes it back. */
  readonly count: (name: string) => Effect.Effect<number>
}

/** Behind every repository: one reference to an immutable state; a transaction works on a draft and swaps it in, or drops it. */
export const makeMemoryStore = (initial: WorldState, epoch = "0"): MemoryStore => {
  const owner = {}
  let oneWriter = Semaphore.makeUnsafe(1)
  const changed = Latch.makeUnsafe(false)
  let committed = initial
  /** The transaction in progress, at most one. */
  let open: Transaction | null = null

  const commit = (draft: Draft, changesAgenda = true) => {
    const agendaChanged =
      changesAgenda &&
      (draft.state.agenda !== committed.agenda ||
        draft.state.mediaJobs !== committed.mediaJobs ||
        draft.state.mails !== committed.mails)
    committed = draft.state
    if (agendaChanged) {
      changed.openUnsafe()
      changed.closeUnsafe()
    }
  }

  const draftOf = (fiber: Fiber.Fiber<unknown, unknown>): Draft | null => {
    const current = fiber.getRef(CurrentTransaction)
    return current !== null && current.owner === owner && !current.isOver ? current.draft : null
  }

  const read = <A>(f: (state: WorldState) => A): Effect.Effect<A> =>
    Effect.withFiber((fiber) => Effect.succeed(f(draftOf(fiber)?.state ?? committed)))

  const transaction = <A, E, R>(body: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.withFiber((fiber) => {
      if (draftOf(fiber) !== null) return body
      const turn = oneWriter
      return turn.withPermits(1)(
        Effect.suspend(() => {
          const current: Transaction = { owner, draft: new Draft(committed), isOver: false }
          if (turn === oneWriter) open = current
          return Effect.onExit(Effect.provideService(body, CurrentTransaction, current), (exit) => {
            current.isOver = true
            // What began before the state was replaced belongs to the state that is gone.
            if (turn !== oneWriter) return Effect.void
            open = null
            if (Exit.isSuccess(exit)) commit(current.draft)
            return Effect.void
          })
        })
      )
    })

  /** Outside a transaction, one of its own. `f` is synchronous, so it does not wait for its turn unless one is in progress. */
  const write = <A>(f: (draft: Draft) => A, changesAgenda?: boolean): Effect.Effect<A> =>
    Effect.withFiber((fiber) => {
      const mine = draftOf(fiber)
      if (mine !== null) return Effect.succeed(f(mine))
      if (open !== null) return transaction(Effect.withFiber((inside) => Effect.succeed(f(draftOf(inside)!))))
      const draft = new Draft(committed)
      const written = f(draft)
      commit(draft, changesAgenda)
      return Effect.succeed(written)
    })

  /** With the time of the store's clock. */
  const writeAt = <A>(f: (draft: Draft, now: Instant) => A, changesAgenda?: boolean): Effect.Effect<A> =>
    Effect.flatMap(Clock.currentTimeMillis, (ms) => write((draft) => f(draft, ms as Instant), changesAgenda))

  const plain: Omit<Store["Service"], "changes"> = {
    transaction,
    nextNumber: (kind) => write((draft) => draft.count(kind)),
    accounts: {
      byId: (id) => read((state) => state.accounts.get(id)),
      list: read((state) => state.accounts.valuesArray()),
      save: (account) =>
        write((draft) => {
          draft.edit("accounts").set(account.id, account)
          draft.countFrom("account", account.id)
        })
    },
    users: {
      byId: (id) => read((state) => state.users.get(id)),
      byIds: (ids) => read((state) => ids.flatMap((id) => state.users.get(id) ?? [])),
      byEmail: (email) =>
        read((state) => {
          const id = state.usersByEmail.get(emailKey(email))
          return id === undefined ? undefined : state.users.get(id)
        }),
      page: ({ accountId, activeOnly = false }, slice) =>
        read((state) => {
          const users = state.users
            .valuesArray()
            .filter((user) => user.accountId === accountId && (user.active || !activeOnly))
          return partOf(
            users.sort((a, b) => a.createdAt - b.createdAt || a.id - b.id),
            slice
          )
        }),
      countActiveAdmins: (accountId) =>
        read((state) => {
          const isActiveAdmin = (user: User) => user.accountId === accountId && user.active && user.role === "admin"
          return state.users.valuesArray().filter(isActiveAdmin).length
        }),
      activeAdmins: (accountId, limit) =>
        read((state) =>
          state.users
            .valuesArray()
            .filter((user) => user.accountId === accountId && user.active && user.role === "admin")
            .slice(0, limit)
        ),
      save: (user) =>
        write((draft) => {
          const before = draft.state.users.get(user.id)
          if (before !== undefined) draft.edit("usersByEmail").delete(emailKey(before.email))
          draft.edit("users").set(user.id, user)
          draft.edit("usersByEmail").set(emailKey(user.email), user.id)
          draft.countFrom("user", user.id)
        })
    },
    tokens: {
      holder: (hash) =>
        read((state) => {
          const id = state.tokensByHash.get(hash)
          const token = id === undefined ? undefined : state.tokens.get(id)
          const user = token === undefined ? undefined : state.users.get(token.userId)
          const account = user === undefined ? undefined : state.accounts.get(user.accountId)
          return token === undefined || user === undefined || account === undefined
            ? undefined
            : { token, user, account }
        }),
      byId: (id) => read((state) => state.tokens.get(id)),
      page: (userId, slice) => read((state) => partOf(SignIn.accessTokensOf(state, userId), slice)),
      save: (token) =>
        write((draft) => {
          draft.edit("tokens").set(token.id, token)
          draft.edit("tokensByHash").set(token.hash, token.id)
        }),
      use: (id, at) =>
        write((draft) => {
          const token = draft.state.tokens.get(id)
          if (token !== undefined) draft.edit("tokens").set(id, { ...token, lastUsedAt: at })
        })
    },
    recordings: {
      byId: (id) => read((state) => state.recordings.get(id)),
      byUuid: (uuid) => read((state) => Recordings.findRecording(state, uuid)),
      page: (filter, slice) => read((state) => Recordings.pageOfRecordings(state, filter, slice)),
      search: (search, after, limit) => read((state) => searchRecordings(state, search, after, limit)),
      storedBytes: (owner) => read((state) => Recordings.storedBytes(state, owner)),
      save: (recording) => write((draft) => Recordings.saveRecording(draft, recording)),
      remove: (uuid) => write((draft) => Recordings.removeRecording(draft, uuid)),
      leaveFolder: (id) => write((draft) => Recordings.leaveFolder(draft, id)),
      countView: (id) => write((draft) => Recordings.countView(draft, id))
    },
    recordingParts: {
      read: (id) => read((state) => Recordings.partsOf(state, id)),
      segments: (id, source, { limit, offset }) =>
        read((state) => Recordings.partsOf(state, id)[source].slice(offset, offset + limit)),
      save: (id, parts) => write((draft) => void Recordings.saveParts(draft, id, parts))
    },
    shareLinks: {
      byHash: (hash) => read((state) => state.shareLinks.valuesArray().find((link) => link.hash === hash)),
      ofRecording: (uuid) => read((state) => Recordings.shareLinksOf(state, uuid)),
      add: (link) => write((draft) => void draft.edit("shareLinks").set(link.id, link)),
      remove: (id) => write((draft) => void draft.edit("shareLinks").delete(id))
    },
    folders: {
      byId: (id) => read((state) => state.folders.get(id)),
      list: (accountId) => read((state) => [...state.folders.values()].filter((one) => one.accountId === accountId)),
      save: (folder) => write((draft) => draft.editMap("folders").set(folder.id, folder)),
      remove: (id) => write((draft) => draft.editMap("folders").delete(id))
    },
    automations: {
      byId: (id) => read((state) => state.automations.get(id)),
      ofFolder: (folderId) =>
        read((state) => [...state.automations.values()].filter((one) => one.folderId === folderId)),
      ofAccount: (accountId) =>
        read((state) => [...state.automations.values()].filter((one) => one.accountId === accountId)),
      save: (automation) => write((draft) => draft.editMap("automations").set(automation.id, automation)),
      remove: (id) => write((draft) => draft.editMap("automations").delete(id))
    },
    destinations: {
      byId: (id) => read((state) => state.destinations.get(id)),
      ofAccount: (accountId) =>
        read((state) => [...state.destinations.values()].filter((one) => one.accountId === accountId)),
      save: (destination) => write((draft) => draft.editMap("destinations").set(destination.id, destination)),
      remove: (id) => write((draft) => draft.editMap("destinations").delete(id))
    },
    ...makeCaptureRepositories({ read, write, writeAt }),
    auditEntries: {
      append: (entry) =>
        write((draft) => {
          draft.edit("auditEntries").set(entry.id, entry)
          draft.countFrom("audit_entry", entry.id)
        }),
      byId: (id) => read((state) => state.auditEntries.get(id)),
      page: (filter, slice) => read((state) => partOf(auditEntriesOf(state, filter), slice)),
      newestUntil: (until) => read((state) => state.auditEntries.valuesArray().findLast(({ at }) => at <= until)?.at)
    },
    auditSeals: {
      chainKey: read((state) => state.auditChainKey.get("key")),
      nextAccount: (after) => read((state) => AuditSeals.nextAccount(state, after)),
      checkpoint: (accountId) => read((state) => state.auditCheckpoints.get(accountId)),
      after: (accountId, seq, limit) => read((state) => AuditSeals.sealsAfter(state, { accountId, seq }, limit)),
      lastSealed: read(AuditSeals.lastSealed),
      unlinked: (accountId, after, limit) => read((state) => AuditSeals.unlinked(state, accountId, after, limit)),
      waiting: (accountId, max) => read((state) => AuditSeals.waiting(state, accountId, max)),
      saveChainKey: (sealed) => write((draft) => draft.edit("auditChainKey").set("key", sealed)),
      next: (limit) => read((state) => AuditSeals.nextEntries(state, limit)),
      head: (accountId) => read((state) => AuditSeals.headOf(state, accountId)),
      add: (seal) => write((draft) => AuditSeals.addSeal(draft, seal)),
      prune: (checkpoint) => write((draft) => AuditSeals.pruneSeals(draft, checkpoint))
    },
    deliveries: {
      byId: (id) => read((state) => Deliveries.findDelivery(state, id)),
      list: (filter) => read((state) => Deliveries.listDeliveries(state, filter)),
      page: (filter, slice, each) => read((state) => Deliveries.pageOfDeliveries(state, filter, slice, each)),
      search: (search, after, limit, each) =>
        read((state) => Deliveries.searchDeliveries(state, search, { after, limit }, each)),
      insert: (delivery) => write((draft) => Deliveries.insertDelivery(draft, delivery)),
      claim: (options) => writeAt((draft, now) => Deliveries.claimDeliveries(draft, now, options)),
      renew: (claims, leaseMs) => writeAt((draft, now) => Deliveries.renewLeases(draft, claims, now, leaseMs), false),
      hold: (claim, result, endsAt) => write((draft) => Deliveries.holdResult(draft, claim, result, endsAt)),
      settle: (claim, after) => writeAt((draft, now) => Deliveries.settleDelivery(draft, claim, after, now)),
      update: (delivery) => write((draft) => Deliveries.updateDelivery(draft, delivery)),
      cancelOf: (receiver, options) => write((draft) => Deliveries.cancelDeliveries(draft, receiver, options)),
      prune: (options) => write((draft) => Deliveries.pruneDeliveries(draft, options)),
      queue: read(Deliveries.queueOf)
    },
    redeliveries: {
      byId: (id) => read((state) => state.redeliveries.get(id)?.redelivery),
      ofAccount: (accountId) => read((state) => Redeliveries.redeliveriesOf(state, accountId)),
      due: Effect.flatMap(Clock.currentTimeMillis, (ms) =>
        read((state) => Redeliveries.dueRedelivery(state, ms as Instant))
      ),
      save: (redelivery) => write((draft) => Redeliveries.saveRedelivery(draft, redelivery)),
      remove: (id) => write((draft) => Redeliveries.removeRedelivery(draft, id))
    },
    statistics: {
      byHour: (filter) => read((state) => Statistics.countsByHour(state, filter)),
      byReceiver: (filter) => read((state) => Statistics.countsByReceiver(state, filter)),
      health: (accountId, receiver) => read((state) => Statistics.healthOf(state, accountId, receiver)),
      prune: (accountId, before) => write((draft) => Statistics.pruneStatistics(draft, accountId, before))
    },
    transcriptSteps: {
      add: (step) => write((draft) => void Deliveries.schedule(draft, { kind: "transcript", at: step.at, step })),
      take: (limit) => writeAt((draft, now) => Deliveries.takeTranscriptSteps(draft, now, limit))
    },
    mediaJobs: {
      add: (job) => write((draft) => MediaJobs.addJob(draft, job)),
      ofRecording: (uuid) => read((state) => MediaJobs.jobsOf(state, uuid)),
      claim: ({ limit, leaseMs }) => writeAt((draft, now) => MediaJobs.claimJobs(draft, now, limit, leaseMs)),
      extend: (claim, leaseMs) => writeAt((draft, now) => MediaJobs.extendLease(draft, claim, now, leaseMs)),
      finish: (claim) => write((draft) => MediaJobs.finishJob(draft, claim)),
      postpone: (claim, job) => write((draft) => MediaJobs.postponeJob(draft, claim, job)),
      remove: (uuid, kind) => write((draft) => MediaJobs.removeJobs(draft, uuid, kind))
    },
    mails: {
      add: (mail) => write((draft) => Mails.addMail(draft, mail)),
      claim: ({ limit, leaseMs }) => writeAt((draft, now) => Mails.claimMails(draft, now, limit, leaseMs)),
      finish: (claim) => write((draft) => Mails.finishMail(draft, claim)),
      postpone: (claim, mail) => write((draft) => Mails.postponeMail(draft, claim, mail))
    },
    agenda: {
      next: read((state) => {
        const place = state.agenda.minKey()
        return place === undefined ? undefined : state.agenda.get(place)
      }),
      list: read((state) => state.agenda.valuesArray()),
      changed: changed.await
    },
    files: {
      save: (id, content) => write((draft) => draft.edit("files").set(id, content)),
      write: (id, bytes) =>
        Effect.flatMap(Stream.runCollect(bytes), (chunks) => {
          const whole = new Uint8Array(Buffer.concat(chunks))
          return Effect.as(
            write((draft) => draft.edit("files").set(id, { kind: "bytes", bytes: whole })),
            whole.length
          )
        }),
      attach: () => Effect.void,
      discard: (id) => write((draft) => draft.edit("files").delete(id)),
      remove: (id) => write((draft) => draft.edit("files").delete(id)),
      read: (id, start, length) =>
        read((state) => {
          const content = state.files.get(id)
          return content === undefined ? undefined : readFile(content, start, length)
        })
    },
    space: { isFull: Effect.succeed(false), ranOut: Effect.void },
    rateWindows: {
      byToken: (id) => read((state) => state.rateWindows.get(id)),
      count: (id, at, perMs) => write((draft) => SignIn.countRequest(draft, id, { at, perMs }))
    },
    idempotencyKeys: {
      // Only one transaction is open at a time.
      lock: () => Effect.succeed(true),
      byId: (id) => read((state) => IdempotencyKeys.findResponse(state, id)),
      save: (answer) => write((draft) => IdempotencyKeys.saveResponse(draft, answer)),
      prune: (options) => write((draft) => IdempotencyKeys.pruneResponses(draft, options))
    },
    sessions: {
      holder: (hash) => read((state) => SignIn.holderOf(state, hash)),
      ofUser: (userId) => read((state) => SignIn.sessionsOf(state, userId)),
      save: (session) => write((draft) => SignIn.saveSession(draft, session)),
      remove: (id) => write((draft) => SignIn.removeSession(draft, id)),
      prune: (now) => write((draft) => SignIn.pruneSessions(draft, now))
    },
    passwords: {
      ofUser: (userId) => read((state) => state.passwords.get(userId)),
      save: (password) => write((draft) => draft.edit("passwords").set(password.userId, password))
    },
    signInLinks: {
      byHash: (hash) => read((state) => state.signInLinks.get(hash)),
      replace: (link) => write((draft) => SignIn.replaceLink(draft, link)),
      removeOf: (userId) => write((draft) => SignIn.removeLinksOf(draft, userId)),
      prune: (now) => write((draft) => SignIn.pruneLinks(draft, now))
    },
    tryWindows: {
      byKey: (key) => read((state) => state.tryWindows.get(key)),
      count: (window, at) => write((draft) => SignIn.countTries(draft, window, at)),
      uncount: (key, tries) => write((draft) => SignIn.uncountTries(draft, key, tries)),
      extend: (before, endsAt, tries) => write((draft) => SignIn.extendWindow(draft, before, endsAt, tries)),
      remove: (key) => write((draft) => SignIn.removeWindow(draft, key)),
      prune: (now) => write((draft) => SignIn.pruneWindows(draft, now))
    }
  }

  const changes = new ChangeLog(epoch)
  const store = withChanges(plain, changes)
  return {
    store,
    state: () => committed,
    count: (name) => write((draft) => draft.count(name)),
    replace: (state) => {
      committed = state
      open = null
      oneWriter = Semaphore.makeUnsafe(1)
      changes.receive(null)
    }
  }
}

const emailKey = (email: string) => email.toLowerCase()

/** Newest first. */
const auditEntriesOf = (state: WorldState, filter: AuditEntryFilter): ReadonlyArray<AuditEntry> =>
  state.auditEntries
    .valuesArray()
    .filter(
      (entry) =>
        entry.accountId === filter.accountId &&
        (filter.eventTypes === undefined || filter.eventTypes.includes(entry.eventType)) &&
        (filter.userId === undefined || entry.userId === filter.userId) &&
        (filter.since === undefined || entry.at >= filter.since) &&
        (filter.until === undefined || entry.at < filter.until)
    )
    .reverse()
