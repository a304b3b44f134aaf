/**
 * The server's dispatcher on one of its stores: over the network; `unsent`, with a sender that answers at once; or `engine`,
 * its worker with claims and records alone. `waiting=N`: with so many deliveries that are due in six hours and later.
 */
import { setFlagsFromString } from "node:v8"
import {
  defaultServiceConfig,
  deliveryQueue,
  jobHandlers,
  makeJobRunner,
  ServiceConfig,
  storeOf,
  UploadPolicy,
  useCases
} from "@tapedeck/core"
import { type Answer, type Dispatcher, Guard, makeDispatcher, makeWorker, Sender } from "@tapedeck/dispatcher"
import { layerNetwork } from "@tapedeck/dispatcher/network"
import { type Delivery, Instant } from "@tapedeck/domain"
import type { Claim } from "@tapedeck/domain/delivery"
import { Deferred, Effect, Fiber, Layer, ManagedRuntime } from "effect"
import { withoutSending } from "./attempt.ts"
import { contend } from "./contender.ts"
import { account, atOnceUnsent, automationTo, deliveriesOf, maxInFlight } from "./fixtures.ts"
import { storeOn } from "./ourStore.ts"
import { copyDelivery } from "./seedWaiting.ts"

// As the server's own start does (apps/server/src/main.ts).
setFlagsFromString("--no-allocation-site-pretenuring")

const [kind = "", where = "", url = "", ...modes] = process.argv.slice(2)

const answer: Answer = {
  outcome: "success",
  statusCode: 200,
  response: { headers: [["content-type", "application/json"]], body: '{"ok":true}', truncated: false },
  error: null
}
const sender = modes.includes("unsent")
  ? Layer.merge(
      Layer.succeed(Sender, { send: () => Effect.succeed(answer) }),
      Layer.succeed(Guard, { check: () => Effect.succeed(null) })
    )
  : layerNetwork({ allow: ["127.0.0.1"] })

const runtime = ManagedRuntime.make(
  useCases.pipe(
    Layer.provideMerge(sender),
    Layer.provideMerge(storeOn(kind === "postgres" ? kind : "sqlite", where)),
    Layer.provideMerge(Layer.succeed(ServiceConfig, defaultServiceConfig)),
    Layer.provide(Layer.succeed(UploadPolicy, { unknownContent: "refused" }))
  )
)

let left = 0
let allMade = Deferred.makeUnsafe<void>()

/** Whether only the engine is measured: each attempt has ended when it starts. */
const engineAlone = modes.includes("engine")

/** Counts what is delivered. */
const counted = ({ perform, queue }: Dispatcher): Dispatcher => ({
  queue,
  perform: (claim, slot) =>
    Effect.map(perform(engineAlone ? answered(claim) : claim, slot), (performed) => {
      if (performed?.outcome === "success" && --left === 0) Deferred.doneUnsafe(allMade, Effect.void)
      return performed
    })
})

const headers = Object.entries(withoutSending({ id: "delivery", body: "" }).headers)

const answered = (claim: Claim): Claim => {
  const request = { method: "POST", url, headers, body: claim.delivery.body }
  // The store compares claims by identity, so the claim is changed and not copied.
  return Object.assign(claim, { reason: "answered" as const, result: { ...answer, request } })
}

const atOnce = engineAlone ? atOnceUnsent : maxInFlight

// One account alone gets three quarters of the slots.
const limits = { concurrency: Math.ceil((atOnce * 4) / 3), perHost: atOnce, perNewHost: atOnce }
const worker = Effect.gen(function* () {
  // As the server's.
  const jobs = yield* makeJobRunner(yield* jobHandlers, { mail: 4, media: 2, capture: 4, step: 1, upkeep: 0 })
  const dispatcher = yield* makeDispatcher(yield* deliveryQueue(jobs), defaultServiceConfig)
  return yield* makeWorker(counted(dispatcher), {
    ...limits,
    steps: { kinds: ["job"], take: jobs.start },
    onAttempt: null
  })
}).pipe(Effect.scoped)

/** One worker for all rounds, as in a server: a new one would be compiled again. None in a process that only submits. */
let isWorking = false
const startWorker = () => {
  if (!isWorking) runtime.runFork(worker)
  isWorking = true
}

/** Inserts deliveries, and commits after `mayCommit`. */
const insert = (round: number, count: number, mayCommit: Effect.Effect<void> = Effect.void) =>
  Effect.gen(function* () {
    const { deliveries, transaction } = yield* storeOf("deliveries", "transaction")
    const all = Effect.forEach(deliveriesOf(round, count), deliveries.insert, { discard: true })
    yield* transaction(Effect.andThen(all, mayCommit))
  })

const setUp = Effect.gen(function* () {
  const { accounts, automations } = yield* storeOf("accounts", "automations")
  if ((yield* accounts.byId(account.id)) !== undefined) return
  yield* accounts.save(account)
  yield* automations.save(automationTo(url))
})

await runtime.runPromise(setUp)

const waiting = Number(modes.find((mode) => mode.startsWith("waiting="))?.slice("waiting=".length) ?? 0)
if (waiting > 0) {
  const [delivery] = deliveriesOf(-1, 1)
  const dueAt = Instant.make(Date.now() + 6 * 3_600_000)
  const later: Delivery = { ...delivery!, state: { _tag: "Scheduled", dueAt } }
  await runtime.runPromise(Effect.flatMap(storeOf("deliveries"), ({ deliveries }) => deliveries.insert(later)))
  await copyDelivery(where, later.id, waiting - 1)
}

/** Commits the inserted deliveries, which notifies the worker. */
let commit: Effect.Effect<void> = Effect.void

contend({
  prepare: (round, count) => {
    left = count
    allMade = Deferred.makeUnsafe()
    startWorker()
    return runtime.runPromise(
      Effect.gen(function* () {
        const inserted = yield* Deferred.make<void>()
        const mayCommit = yield* Deferred.make<void>()
        const beforeCommit = Effect.andThen(Deferred.succeed(inserted, undefined), Deferred.await(mayCommit))
        const committed = yield* Effect.forkDetach(insert(round, count, beforeCommit))
        commit = Effect.andThen(Deferred.succeed(mayCommit, undefined), Fiber.join(committed))
        yield* Effect.raceFirst(Deferred.await(inserted), Fiber.join(committed))
      })
    )
  },
  commit: () => runtime.runPromise(commit),
  play: () => runtime.runPromise(Deferred.await(allMade)),
  work: async () => startWorker(),
  submit: (round) => runtime.runPromise(insert(round, 1))
})
