import type { Delivery, Recording } from "@tapedeck/domain"
import { deliveryStateName } from "@tapedeck/domain/delivery"
import { Context, Effect } from "effect"
import type { Store } from "../Store.ts"
import type { Change, ChangeLog } from "./ChangeLog.ts"

/** Changes of a transaction so far, which are published when it has committed. */
interface Pending {
  readonly log: ChangeLog
  readonly changes: Array<Change>
  over: boolean
}

const CurrentPending = Context.Reference<Pending | null>("@tapedeck/core/changes/Pending", {
  defaultValue: () => null
})

const ofRecording = (kind: "recording" | "transcript", recording: Recording, isRemoved = false): Change => ({
  kind,
  accountId: recording.accountId,
  ownerId: recording.ownerId,
  data: { uuid: recording.uuid, ...(kind === "recording" && { folder_id: recording.folderId, removed: isRemoved }) }
})

const ofDelivery = (delivery: Delivery): Change => ({
  kind: "delivery",
  accountId: delivery.accountId,
  data: {
    id: delivery.id,
    automation_id: delivery.automationId,
    audit_destination_id: delivery.destinationId,
    recording_uuid: delivery.recordingUuid,
    state: deliveryStateName(delivery.state)
  }
})

/** The change of a receiver's deliveries, of which many may have changed. */
const ofReceiver = (accountId: number, automationId: string | null, destinationId: string | null): Change => ({
  kind: "delivery",
  accountId,
  data: {
    id: null,
    automation_id: automationId,
    audit_destination_id: destinationId,
    recording_uuid: null,
    state: null
  }
})

const lastAttempt = (delivery: Delivery): ReadonlyArray<Change> => {
  const attempt = delivery.attempts.at(-1)
  if (attempt === undefined) return []
  const { accountId, automationId, destinationId, id } = delivery
  const { attempt: number, outcome, statusCode } = attempt
  const ids = { delivery_id: id, automation_id: automationId, audit_destination_id: destinationId }
  return [{ kind: "attempt", accountId, data: { ...ids, attempt: number, outcome, status_code: statusCode } }]
}

const access: ReadonlyArray<Change> = [{ kind: "access" }]

const transcriptParts = ["edited", "processed", "speakerMap", "legacyText"] as const

/** Returns a store that reports committed changes to `log`. */
export const withChanges = (store: Omit<Store, "changes">, log: ChangeLog): Store => {
  const tell = (changes: ReadonlyArray<Change>): Effect.Effect<void> =>
    Effect.withFiber((fiber) => {
      const pending = Context.get(fiber.context, CurrentPending)
      if (pending !== null && pending.log === log && !pending.over) pending.changes.push(...changes)
      else log.publish(changes)
      return Effect.void
    })
  const telling = <A>(effect: Effect.Effect<A>, changes: (value: A) => ReadonlyArray<Change>): Effect.Effect<A> =>
    Effect.tap(effect, (value) => tell(changes(value)))

  const transaction = <A, E, R>(body: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.withFiber((fiber) => {
      const outer = Context.get(fiber.context, CurrentPending)
      if (outer !== null && outer.log === log && !outer.over) return store.transaction(body)
      let pending: Pending = { log, changes: [], over: false }
      // A store may run the body again: what the run before changed was not committed.
      const once = Effect.suspend(() => {
        pending.over = true
        pending = { log, changes: [], over: false }
        return Effect.provideService(body, CurrentPending, pending)
      })
      return Effect.onExit(store.transaction(once), (exit) => {
        pending.over = true
        if (exit._tag === "Success") log.publish(pending.changes)
        return Effect.void
      })
    })

  const { automations, deliveries, destinations, recordingParts, recordings } = store
  return {
    ...store,
    changes: log,
    transaction,
    accounts: { ...store.accounts, save: (account) => telling(store.accounts.save(account), () => access) },
    users: { ...store.users, save: (user) => telling(store.users.save(user), () => access) },
    tokens: {
      ...store.tokens,
      save: (token) => telling(store.tokens.save(token), () => (token.revokedAt === null ? [] : access))
    },
    sessions: { ...store.sessions, remove: (id) => telling(store.sessions.remove(id), () => access) },
    recordings: {
      ...recordings,
      add: (all) => telling(recordings.add(all), () => all.map((one) => ofRecording("recording", one))),
      save: (recording) => telling(recordings.save(recording), () => [ofRecording("recording", recording)]),
      remove: (uuid) =>
        Effect.flatMap(recordings.byUuid(uuid), (found) =>
          telling(recordings.remove(uuid), () => (found === undefined ? [] : [ofRecording("recording", found, true)]))
        ),
      leaveFolder: (folder, batch) =>
        telling(recordings.leaveFolder(folder, batch), ({ left }) =>
          left === 0
            ? []
            : [
                {
                  kind: "recording",
                  accountId: folder.accountId,
                  ownerId: "any",
                  data: { uuid: null, folder_id: folder.id, removed: false }
                }
              ]
        )
    },
    recordingParts: {
      ...recordingParts,
      save: (id, parts) =>
        transcriptParts.every((name) => parts[name] === undefined)
          ? recordingParts.save(id, parts)
          : Effect.flatMap(recordings.byId(id), (found) =>
              telling(recordingParts.save(id, parts), () =>
                found === undefined ? [] : [ofRecording("transcript", found)]
              )
            )
    },
    automations: {
      ...automations,
      save: (one) => telling(automations.save(one), () => [ofReceiver(one.accountId, one.id, null)]),
      remove: (id) =>
        Effect.flatMap(automations.byId(id), (one) =>
          telling(automations.remove(id), () => (one === undefined ? [] : [ofReceiver(one.accountId, id, null)]))
        )
    },
    destinations: {
      ...destinations,
      save: (one) => telling(destinations.save(one), () => [ofReceiver(one.accountId, null, one.id)]),
      remove: (id) =>
        Effect.flatMap(destinations.byId(id), (one) =>
          telling(destinations.remove(id), () => (one === undefined ? [] : [ofReceiver(one.accountId, null, id)]))
        )
    },
    redeliveries: {
      ...store.redeliveries,
      save: (job) => telling(store.redeliveries.save(job), () => [ofReceiver(job.accountId, null, null)])
    },
    deliveries: {
      ...deliveries,
      insert: (delivery) => telling(deliveries.insert(delivery), () => [ofDelivery(delivery)]),
      update: (delivery) => telling(deliveries.update(delivery), () => [ofDelivery(delivery)]),
      claim: (options) =>
        telling(deliveries.claim(options), (claims) => claims.map(({ delivery }) => ofDelivery(delivery))),
      settle: (claim, after) =>
        telling(deliveries.settle(claim, after), (settled) =>
          settled === null ? [] : [ofDelivery(settled), ...lastAttempt(settled)]
        )
    }
  }
}
