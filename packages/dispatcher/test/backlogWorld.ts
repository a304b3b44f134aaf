import { AccountId, AutomationId, type Delivery, DeliveryId } from "@tapedeck/domain"
import { Effect, Fiber, Logger } from "effect"
import { TestClock } from "effect/testing"
import { afterEach, beforeEach } from "vitest"
import { makeWorker, type WorkerOptions } from "../src/index.ts"
import { type DispatcherWorld, makeWorld, type Sent } from "./dispatcherWorld.ts"
import { aDelivery, anAutomation, answered, instantAfter, startInstant } from "./examples.ts"

const graceMs = 10_000

/** Lets everything that can happen at this instant happen. */
export const settled = async () => {
  for (let turn = 0; turn < 30; turn++) await new Promise((resolve) => setImmediate(resolve))
}

export const waitingSince = (ms: number): Delivery["state"] => ({
  _tag: "Waiting",
  retry: 1,
  dueAt: instantAfter(ms),
  firstAttemptAt: startInstant
})

export const accountOf = (id: number) => ({ accountId: AccountId.make(id) })

export const never = () => Effect.never

const hostOf = ({ request }: Sent) => new URL(request.url).host
/** A worker with backlogs to work off, on a clock that the tests move; anew for each test. */
export const useBacklogs = () => {
  let world: DispatcherWorld
  let running: Fiber.Fiber<unknown, unknown> | undefined
  const logged: Array<string> = []

  beforeEach(async () => {
    world = await makeWorld()
    logged.length = 0
    running = undefined
  })
  afterEach(() => stop())

  const pass = async (ms: number) => {
    await world.run(TestClock.adjust(ms))
    await settled()
  }

  const start = async (options: Partial<WorkerOptions> = {}) => {
    const logger = Logger.make(({ logLevel, message }) => void logged.push(`${logLevel} ${message}`))
    const scoped = Effect.scoped(
      makeWorker(world.dispatcher, {
        concurrency: 8,
        perHost: 4,
        perNewHost: 4,
        graceMs,
        steps: world.steps,
        ...options
      })
    )
    running = world.runtime.runFork(Effect.provide(scoped, Logger.layer([logger])))
    await settled()
  }

  const beginStop = () => (running === undefined ? Promise.resolve() : Effect.runPromise(Fiber.interrupt(running)))

  const stop = async () => {
    const stopped = beginStop()
    await settled()
    if (running?.pollUnsafe() === undefined) await world.run(TestClock.adjust(graceMs))
    await stopped
  }

  /** A receiver of an account: an automation that calls this host. */
  const receiver = (id: string, host: string, account = 1) =>
    world.run(
      world.store.automations.save(
        anAutomation({ id: AutomationId.make(id), accountId: AccountId.make(account), url: `https://${host}/${id}` })
      )
    )

  const backlog = (count: number, automation: string, known: Partial<Delivery> = {}) =>
    world.run(
      Effect.forEach(
        Array.from({ length: count }, (_, index) => index),
        (index) =>
          world.store.deliveries.insert(
            aDelivery({
              id: DeliveryId.make(`${automation}${known.state === undefined ? "" : "-again"}-${index}`),
              automationId: AutomationId.make(automation),
              ...known
            })
          ),
        { discard: true }
      )
    )

  const sentTo = (host: string) => world.sent.filter((one) => hostOf(one) === host).length
  const stateOf = async (id: string) => (await world.deliveries()).find((one) => one.id === id)?.state
  /** Answers of some hosts, by host; all others answer at once. */
  const answers = (byHost: Readonly<Record<string, (sent: Sent) => Effect.Effect<ReturnType<typeof answered>>>>) => {
    world.script.replies = [(sent) => byHost[hostOf(sent)]?.(sent) ?? Effect.succeed(answered(200))]
  }

  return {
    get world() {
      return world
    },
    logged,
    pass,
    start,
    beginStop,
    stop,
    receiver,
    backlog,
    sentTo,
    stateOf,
    answers
  }
}
