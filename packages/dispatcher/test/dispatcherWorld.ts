import {
  defaultServiceConfig,
  deliveryQueue,
  emptyWorld,
  Ids,
  jobHandlers,
  makeJobRunner,
  makeMemoryStore,
  ServiceConfig,
  storeContext,
  UploadPolicy,
  useCases,
  Vault
} from "@tapedeck/core"
import { type Delivery, Instant } from "@tapedeck/domain"
import { Context, Effect, Layer, ManagedRuntime, Redacted, Scope } from "effect"
import { TestClock } from "effect/testing"
import {
  type Answer,
  Guard,
  leaseMs,
  makeDispatcher,
  type PerformedAttempt,
  Sender,
  type SendOptions,
  type WebhookRequest
} from "../src/index.ts"
import { acme, aDestination, anAutomation, answered, startInstant } from "./examples.ts"

export interface Sent extends SendOptions {
  readonly request: WebhookRequest
}

type Reply = Answer | ((sent: Sent) => Effect.Effect<Answer>)

/** A dispatcher over a store in memory and a sender that answers from a script, on a clock that tests move. */
export const makeWorld = async (config: Partial<ServiceConfig["Service"]> = {}) => {
  const memory = makeMemoryStore(emptyWorld())
  const { store } = memory
  const sent: Array<Sent> = []
  const script: { replies: ReadonlyArray<Reply>; blocked: string | null } = { replies: [answered(500)], blocked: null }
  let ids = 0

  const sender = Sender.of({
    send: (request, options) =>
      Effect.suspend(() => {
        const reply = script.replies[Math.min(sent.length, script.replies.length - 1)]!
        const one = { request, ...options }
        sent.push(one)
        return typeof reply === "function" ? reply(one) : Effect.succeed(reply)
      })
  })
  const ports = storeContext(store).pipe(
    Context.add(ServiceConfig, { ...defaultServiceConfig, ...config }),
    Context.add(Ids, Ids.of({ bytes: (_kind, length) => Effect.sync(() => new Uint8Array(length).fill(++ids)) })),
    Context.add(Vault, Vault.make(Redacted.make(new Uint8Array(32)))),
    Context.add(UploadPolicy, { unknownContent: "refused" }),
    Context.add(Sender, sender),
    Context.add(Guard, { check: () => Effect.sync(() => script.blocked) })
  )
  const runtime = ManagedRuntime.make(
    useCases.pipe(Layer.provideMerge(Layer.succeedContext(ports)), Layer.provideMerge(TestClock.layer()))
  )
  const scope = Scope.makeUnsafe()
  const runner = await runtime.runPromise(
    Effect.flatMap(jobHandlers, (handlers) =>
      makeJobRunner(handlers, { mail: 1, media: 0, capture: 1, step: 1, upkeep: 0 })
    ).pipe(Scope.provide(scope))
  )
  const dispatcher = await runtime.runPromise(
    Effect.flatMap(deliveryQueue(runner), (queue) => makeDispatcher(queue, { ...defaultServiceConfig, ...config }))
  )
  const setTime = (to: number) => runtime.runPromise(TestClock.setTime(to))
  const deliveries = () => runtime.runPromise(store.deliveries.list({}))

  /** Claims what is due and performs it, as a driver does. */
  const performDue = Effect.gen(function* () {
    const claims = yield* store.deliveries.claim({ limit: 10, leaseMs })
    return yield* Effect.forEach(claims, (claim) => dispatcher.perform(claim))
  })

  const world = {
    store,
    dispatcher,
    /** What its worker does besides. */
    steps: { kinds: ["job"], take: runner.start },
    runtime,
    sent,
    script,
    setTime,
    deliveries,
    run: runtime.runPromise,
    performDue: (): Promise<ReadonlyArray<PerformedAttempt | null>> => runtime.runPromise(performDue),
    delivery: async (): Promise<Delivery> => (await deliveries())[0]!,
    /** Goes from due instant to due instant until nothing is left; gives the instants at which something was sent. */
    untilIdle: async (): Promise<ReadonlyArray<number>> => {
      while (true) {
        const due = await runtime.runPromise(store.agenda.next([]))
        if (due === undefined) break
        await setTime(Math.max(due.at, await runtime.runPromise(Effect.clockWith((clock) => clock.currentTimeMillis))))
        await runtime.runPromise(performDue)
      }
      return sent.map(({ startedAt }) => startedAt - startInstant)
    }
  }
  await setTime(startInstant)
  await runtime.runPromise(
    Effect.all([
      store.accounts.save(acme),
      store.automations.save(anAutomation()),
      store.destinations.save(aDestination())
    ])
  )
  return world
}

export type DispatcherWorld = Awaited<ReturnType<typeof makeWorld>>

/** An answer whose end is known before it comes: so long after the attempt's start, in virtual time. */
export const endingAfter =
  (ms: number, answer: Answer) =>
  ({ startedAt }: Sent): Effect.Effect<Answer> =>
    Effect.succeed({ ...answer, endsAt: Instant.make(startedAt + ms) })

export const headersOf = ({ request }: Sent): Readonly<Record<string, string>> => Object.fromEntries(request.headers)
