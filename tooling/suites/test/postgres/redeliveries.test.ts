import {
  AuditLog,
  Deliveries,
  defaultServiceConfig,
  Ids,
  type JobClaim,
  Redeliveries,
  ServiceConfig,
  type Store,
  storeLayer,
  Vault
} from "@tapedeck/core"
import { AutomationId, type Delivery, RedeliveryId, UserId } from "@tapedeck/domain"
import type { Redelivery } from "@tapedeck/domain/internal/delivery"
import { jobIds, queueKeyOf, type RedeliveryJob } from "@tapedeck/domain/internal/jobs"
import { aDelivery, anAccount, anAutomation, aUser, instantAfter } from "@tapedeck/testkit/samples"
import { Clock, Effect, Layer, Redacted } from "effect"
import { afterAll, expect, test } from "vitest"
import { stopPostgres } from "../conformance/postgres.ts"
import { twoNodes } from "./nodes.ts"

afterAll(stopPostgres)

const failed: Partial<Delivery> = {
  automationId: AutomationId.make("crm"),
  state: { _tag: "PermanentlyFailed", at: instantAfter(0) }
}

const job: Redelivery = {
  id: RedeliveryId.make("job"),
  accountId: anAccount(1).id,
  userId: UserId.make(1),
  createdAt: instantAfter(0),
  filter: { state: "PermanentlyFailed" },
  limit: 100,
  rate: 100,
  count: 60,
  isExact: true,
  place: Number.MAX_SAFE_INTEGER,
  redelivered: 0,
  skipped: 0,
  state: { _tag: "Running", dueAt: instantAfter(0) }
}

const step: RedeliveryJob = {
  kind: "redelivery",
  id: jobIds.redelivery(job.id),
  queueKey: queueKeyOf("redelivery", job.accountId),
  redeliveryId: job.id,
  failedTries: 0,
  dueAt: instantAfter(0)
}

/** Runs the step that is due on a node's store, if there is one. */
const stepOn = (store: Store) =>
  Effect.gen(function* () {
    const { runStep } = yield* Redeliveries
    for (const claim of yield* store.jobs.claim({ slots: { step: 1 }, leaseMs: 60_000 })) {
      yield* runStep(claim as JobClaim<RedeliveryJob>)
    }
  }).pipe(
    Effect.provide(
      Redeliveries.layer.pipe(
        Layer.provide(AuditLog.layer),
        Layer.provide(Deliveries.layer),
        Layer.provide(
          Layer.mergeAll(
            storeLayer(store),
            Ids.layerRandom,
            Layer.succeed(ServiceConfig, defaultServiceConfig),
            Vault.layer(Redacted.make(new Uint8Array(32).fill(7)))
          )
        )
      )
    )
  )

test("nodes that run a redelivery at the same time redeliver each delivery once, even if one node ends", () =>
  Effect.gen(function* () {
    const { database, nodes, setTime } = yield* twoNodes
    const [first, second] = nodes
    yield* first.accounts.save(anAccount(1))
    yield* first.users.save(aUser(1, { role: "admin" }))
    yield* first.automations.save(anAutomation("crm"))
    for (let n = 0; n < 60; n++) yield* first.deliveries.insert(aDelivery(`delivery ${n}`, failed))
    yield* first.redeliveries.save(job)
    yield* first.jobs.enqueue(step)
    let ms = 0
    const clock: Clock.Clock = Object.assign(Object.create(Clock.Clock.defaultValue()), {
      currentTimeMillisUnsafe: () => instantAfter(ms),
      currentTimeMillis: Effect.sync(() => instantAfter(ms))
    })
    const turn = Effect.gen(function* () {
      yield* setTime(instantAfter(ms))
      // After the first turn one node is gone.
      const running = ms === 0 ? [first, second, first, second] : [second, second]
      yield* Effect.all(running.map(stepOn), { concurrency: "unbounded" })
      ms += 250
    })
    for (let n = 0; n < 5; n++) yield* Effect.provideService(turn, Clock.Clock, clock)
    const ended = yield* second.redeliveries.byId(job.id)
    expect(ended).toMatchObject({ redelivered: 60, skipped: 0, state: { _tag: "Finished" } })
    const all = yield* second.deliveries.list({})
    const again = all.flatMap(({ redeliveryOf }) => redeliveryOf ?? [])
    expect(again).toHaveLength(60)
    expect(new Set(again).size).toBe(60)
    const [audited] = yield* Effect.promise(() =>
      database.query("SELECT count(*)::int AS entries FROM audit_entries WHERE event_type = 'automation.redelivered'")
    )
    expect(audited).toEqual({ entries: 60 })
  }).pipe(Effect.scoped, Effect.runPromise))
