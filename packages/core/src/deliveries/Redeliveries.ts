import {
  AutomationId,
  type DeliveryId,
  DestinationId,
  parseIso,
  parseRecordingUuid,
  RedeliveryId
} from "@tapedeck/domain"
import { deliveryStateTag } from "@tapedeck/domain/delivery"
import { acceptedPart, type DecodedInput, type RedeliveryInput, redeliveryDefaults } from "@tapedeck/domain/input"
import {
  afterRedeliveryStep,
  type Redelivery,
  type RedeliveryFilter,
  redeliveryStepSize,
  stoppedRedelivery
} from "@tapedeck/domain/internal/delivery"
import { jobIds, queueKeyOf, type RedeliveryJob } from "@tapedeck/domain/internal/jobs"
import { Context, Effect, Layer, Result } from "effect"
import { auditor } from "../audit/audited.ts"
import { type InputInvalid, NotFound, StateConflict, type Unauthenticated } from "../errors.ts"
import { Ids } from "../Ids.ts"
import { valueOf } from "../input/decodeInput.ts"
import { now } from "../now.ts"
import type { Caller } from "../people/Caller.ts"
import { writer } from "../people/signIn/requireCurrent.ts"
import { receiverChange } from "../store/changes/changes.ts"
import { type JobClaim, storeOf } from "../store/Store.ts"
import { deliveringAgain, type LogOwner, ownerOf, receiverFinder } from "./deliverAgain.ts"

/** Maximum number of jobs of an account that run, and that are kept: the newest. */
export const maxRunningRedeliveries = 3
export const maxKeptRedeliveries = 100

const filterOf = (input: RedeliveryInput): RedeliveryFilter => ({
  ...(input.state !== undefined && { state: deliveryStateTag(input.state) }),
  ...(input.automation_id !== undefined && { automationId: AutomationId.make(input.automation_id) }),
  ...(input.audit_destination_id !== undefined && { destinationId: DestinationId.make(input.audit_destination_id) }),
  ...(input.recording_uuid !== undefined && { recordingUuid: parseRecordingUuid(input.recording_uuid)! }),
  ...(input.event !== undefined && { event: input.event }),
  ...(input.status_code !== undefined && { statusCode: input.status_code }),
  ...(input.since !== undefined && { since: parseIso(input.since)! }),
  ...(input.until !== undefined && { until: parseIso(input.until)! })
})

/** Maximum number of deliveries that an estimate examines: the newest. */
const maxExamined = 1_000

/** Numbers of examined deliveries that a job passes over, by the reason. */
interface PassedOver {
  readonly sendTests: number
  /** Number of deliveries to disabled or deleted receivers. */
  readonly receivers: number
  /** Number of deliveries whose payload was too large to be sent. */
  readonly payloads: number
  /** Number of deliveries that were skipped, or whose URL was invalid. The job delivers one if its reason is gone. */
  readonly unsent: number
}

/** Number of deliveries that a filter finds, counted to 10,000, and what a job would skip among the newest. */
export interface RedeliveryEstimate {
  readonly count: number
  readonly isExact: boolean
  readonly examined: number
  readonly skipped: PassedOver
}

/**
 * Redelivers the deliveries that match a filter, newest first, at a limited rate. A job is data: each step is one transaction, which
 * redelivers a few and writes how far the job is. Whichever process finds the next step due continues it.
 */
export class Redeliveries extends Context.Service<
  Redeliveries,
  {
    /**
     * Takes the filters, `limit` (default 1,000), `rate` (default 10 a second) and `dry_run`, which only counts. `StateConflict`
     * beyond three running jobs of the account.
     */
    readonly start: (
      caller: Caller,
      input: DecodedInput<RedeliveryInput>
    ) => Effect.Effect<Redelivery | RedeliveryEstimate, InputInvalid | StateConflict | Unauthenticated>
    /** The newest 100, the newest first. */
    readonly list: (caller: Caller) => Effect.Effect<ReadonlyArray<Redelivery>>
    readonly get: (caller: Caller, id: string) => Effect.Effect<Redelivery, NotFound>
    /** Stops a job. Its redeliveries stay. An ended job is not changed. */
    readonly stop: (caller: Caller, id: string) => Effect.Effect<Redelivery, NotFound | Unauthenticated>
    /** Runs the claimed step, and schedules the next one in the same transaction. */
    readonly runStep: (claim: JobClaim<RedeliveryJob>) => Effect.Effect<void>
  }
>()("@tapedeck/core/Redeliveries") {
  static readonly layer = Layer.effect(
    Redeliveries,
    Effect.gen(function* () {
      const store = yield* storeOf(
        "accounts",
        "automations",
        "changes",
        "deliveries",
        "destinations",
        "jobs",
        "redeliveries",
        "transaction",
        "users"
      )
      const write = yield* writer
      const ids = yield* Ids
      const audit = yield* auditor
      const deliverAgain = yield* deliveringAgain
      const receiverOf = yield* receiverFinder

      /** Writes the redelivery, and the job of its next step. Inside the transaction. */
      const save = Effect.fnUntraced(function* (redelivery: Redelivery) {
        yield* store.redeliveries.save(redelivery)
        yield* store.changes.publishOnCommit(receiverChange(redelivery))
        const { accountId, id, state } = redelivery
        const jobId = jobIds.redelivery(id)
        if (state._tag !== "Running") return yield* store.jobs.cancel([jobId])
        const queueKey = queueKeyOf("redelivery", accountId)
        const { dueAt } = state
        yield* store.jobs.enqueue({ kind: "redelivery", id: jobId, queueKey, redeliveryId: id, failedTries: 0, dueAt })
      })

      /** Removes the oldest jobs that have ended beyond those that are kept. */
      const makeRoom = Effect.fnUntraced(function* (all: ReadonlyArray<Redelivery>) {
        const ended = all.filter(({ state }) => state._tag !== "Running")
        const excess = all.length - (maxKeptRedeliveries - 1)
        for (const { id } of excess > 0 ? ended.slice(-excess) : []) yield* store.redeliveries.remove(id)
      })

      /** Counts, and starts nothing. Outside a transaction: it reads up to 1,000 deliveries. */
      const estimate = Effect.fn("Redeliveries.estimate")(function* (
        caller: Caller,
        input: DecodedInput<RedeliveryInput>
      ) {
        const fields = yield* valueOf(input)
        const { limit = redeliveryDefaults.limit } = fields
        const search = { ...filterOf(fields), accountId: caller.account.id }
        const { count, isExact, items } = yield* store.deliveries.search(
          search,
          null,
          Math.min(limit, maxExamined),
          (delivery) => ({
            owner: ownerOf(delivery),
            isTest: delivery.test,
            isTooLarge: delivery.error === "payload_too_large",
            isUnsent: delivery.skipped !== undefined || delivery.error === "url_invalid"
          })
        )
        const receivers = new Map<string, boolean>()
        const isOn = Effect.fnUntraced(function* (owner: LogOwner) {
          const key = `${owner.kind} ${owner.id}`
          const known = receivers.get(key)
          if (known !== undefined) return known
          const enabled = yield* receiverOf(caller, owner).pipe(
            Effect.map((receiver) => receiver.enabled),
            Effect.catchTag("NotFound", () => Effect.succeed(false))
          )
          receivers.set(key, enabled)
          return enabled
        })
        const skipped = { sendTests: 0, receivers: 0, payloads: 0, unsent: 0 }
        for (const { isTest, isTooLarge, isUnsent, owner } of items) {
          if (isTest) skipped.sendTests += 1
          else if (isTooLarge) skipped.payloads += 1
          else if (owner === null || !(yield* isOn(owner))) skipped.receivers += 1
          else if (isUnsent) skipped.unsent += 1
        }
        return { count, isExact, examined: items.length, skipped }
      })

      const start = Effect.fn("Redeliveries.start")(
        function* (caller: Caller, input: DecodedInput<RedeliveryInput>) {
          const fields = yield* valueOf(input)
          const filter = filterOf(fields)
          const at = yield* now
          const search = { ...filter, accountId: caller.account.id }
          const { count, first, isExact } = yield* store.deliveries.search(search, null, 1, () => null)
          const all = yield* store.redeliveries.ofAccount(caller.account.id)
          if (all.filter(({ state }) => state._tag === "Running").length >= maxRunningRedeliveries) {
            const reason = `At most ${maxRunningRedeliveries} redeliveries run at a time: stop one, or wait for its end`
            return yield* new StateConflict({ reason })
          }
          yield* makeRoom(all)
          const { limit = redeliveryDefaults.limit, rate = redeliveryDefaults.rate } = fields
          const job: Redelivery = {
            id: RedeliveryId.make(yield* Ids.uuid("redelivery")),
            accountId: caller.account.id,
            userId: caller.user.id,
            createdAt: at,
            filter,
            limit,
            rate,
            count,
            isExact,
            // The job starts before the newest present delivery, so that it does not find later ones, its own included.
            place: first === null ? 0 : first + 1,
            redelivered: 0,
            skipped: 0,
            state: { _tag: "Running", dueAt: at }
          }
          yield* save(job)
          const changes = { limit: { from: null, to: limit }, rate: { from: null, to: rate } }
          yield* audit(caller, "redelivery.started", { type: "redelivery", id: job.id }, changes)
          return job
        },
        Effect.provideService(Ids, ids)
      )

      const get = Effect.fn("Redeliveries.get")(function* (caller: Caller, id: string) {
        const job = yield* store.redeliveries.byId(RedeliveryId.make(id))
        return job?.accountId === caller.account.id ? job : yield* new NotFound({ what: "Redelivery" })
      })

      const stop = Effect.fn("Redeliveries.stop")(function* (caller: Caller, id: string) {
        const before = yield* get(caller, id)
        const after = stoppedRedelivery(before, yield* now, "requested")
        if (after === before) return before
        yield* save(after)
        const changes = { redelivered: { from: null, to: after.redelivered } }
        yield* audit(caller, "redelivery.stopped", { type: "redelivery", id }, changes)
        return after
      })

      /** The user with whose permissions the job runs; undefined if that user is no longer an admin. */
      const actorOf = Effect.fnUntraced(function* (job: Redelivery) {
        const user = yield* store.users.byId(job.userId)
        const account = yield* store.accounts.byId(job.accountId)
        return account !== undefined && user?.active === true && user.role === "admin" ? { account, user } : undefined
      })

      /** Writes the step, unless the claim was lost or the redelivery stopped. */
      const advance = Effect.fnUntraced(function* (
        claim: JobClaim<RedeliveryJob>,
        found: ReadonlyArray<DeliveryId>,
        next: number | null
      ) {
        if (!(yield* store.jobs.finish(claim))) return
        const job = yield* store.redeliveries.byId(claim.job.redeliveryId)
        if (job?.state._tag !== "Running") return
        const at = yield* now
        const actor = yield* actorOf(job)
        if (actor === undefined) return yield* save(stoppedRedelivery(job, at, "not_permitted"))
        let redelivered = 0
        for (const id of found) {
          const delivery = yield* store.deliveries.byId(id)
          const owner = delivery === undefined ? null : ownerOf(delivery)
          if (delivery === undefined || owner === null) continue
          const again = yield* Effect.result(deliverAgain(actor, owner, delivery))
          if (Result.isSuccess(again)) redelivered += 1
        }
        const skipped = found.length - redelivered
        yield* save(afterRedeliveryStep(job, { at, redelivered, skipped, next }))
      })

      const runStep = Effect.fn("Redeliveries.runStep")(function* (claim: JobClaim<RedeliveryJob>) {
        const job = yield* store.redeliveries.byId(claim.job.redeliveryId)
        if (job === undefined) return yield* Effect.asVoid(store.jobs.finish(claim))
        // The search runs outside the transaction, because it reads up to 10,000 deliveries.
        const search = { ...job.filter, accountId: job.accountId }
        const { items, next } = yield* store.deliveries.search(
          search,
          job.place,
          redeliveryStepSize(job),
          ({ id }) => id
        )
        yield* store.transaction(advance(claim, items, next))
      })

      return Redeliveries.of({
        start: (caller, input) =>
          acceptedPart(input).dry_run === true ? estimate(caller, input) : write(caller, start(caller, input)),
        list: (caller) => store.redeliveries.ofAccount(caller.account.id),
        get,
        stop: (caller, id) => write(caller, stop(caller, id)),
        runStep
      })
    })
  )
}
