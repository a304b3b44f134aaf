import { emptyWorld, MailFailed, makeMemoryStore, type Store, storeLayer } from "@tapedeck/core"
import { Effect, Fiber, Layer, Metric } from "effect"
import { formatUnsafe } from "effect/observability/PrometheusMetrics"
import { TestClock } from "effect/testing"
import { expect, test } from "vitest"
import { watchRun } from "../../src/observe/jobs.ts"
import { watchMails } from "../../src/observe/mails.ts"
import { makeStoreMetrics } from "../../src/observe/storeMetrics.ts"

const metrics = Effect.map(Effect.context<never>(), (context) => formatUnsafe(context))

const run = <A, E>(program: Effect.Effect<A, E>) =>
  Effect.runPromise(program.pipe(Effect.provideService(Metric.MetricRegistry, new Map())))

test("the end of a job is counted by kind and outcome, and its duration is measured", async () => {
  const runs = [Effect.void, Effect.succeed("given_up" as const), Effect.die(new Error("broken"))]
  const text = await run(
    Effect.gen(function* () {
      for (const one of runs) yield* Effect.exit(watchRun("mail", one))
      return yield* metrics
    })
  )
  for (const outcome of ["done", "given_up", "failed"])
    expect(text).toContain(`tapedeck_jobs_ended_total{kind="mail",outcome="${outcome}"} 1\n`)
  expect(text).toContain('tapedeck_job_duration_seconds_count{kind="mail"} 3\n')
})

test("mails are counted by whether the mail server accepted them", async () => {
  let isDown = false
  const { send } = watchMails({
    send: () => Effect.suspend(() => (isDown ? Effect.fail(new MailFailed({ cause: "down" })) : Effect.void))
  })
  const mail = { to: "ada@acme.test", subject: "", text: "" }
  const text = await run(
    Effect.gen(function* () {
      yield* send!(mail)
      isDown = true
      yield* Effect.exit(send!(mail))
      return yield* metrics
    })
  )
  for (const outcome of ["sent", "failed"]) expect(text).toContain(`tapedeck_mails_total{outcome="${outcome}"} 1\n`)
})

const scrapes = (store: Partial<Store>, body: (scrape: Effect.Effect<string>) => Effect.Effect<void>) =>
  run(
    Effect.scoped(
      Effect.gen(function* () {
        const { update } = yield* makeStoreMetrics
        yield* body(Effect.andThen(update, metrics))
      })
    ).pipe(
      Effect.provide(Layer.merge(storeLayer({ ...makeMemoryStore(emptyWorld()).store, ...store }), TestClock.layer()))
    )
  )

test("a scrape does not wait for a store that does not answer, and a second one asks no second time", async () => {
  let counts = 0
  const isReporter = Effect.suspend(() => {
    counts += 1
    return Effect.never
  })
  await scrapes({ isReporter }, (scrape) =>
    Effect.gen(function* () {
      for (let turn = 0; turn < 2; turn += 1) {
        const scraped = yield* Effect.forkChild(scrape)
        yield* TestClock.adjust("3 seconds")
        expect(yield* Fiber.join(scraped)).toContain("tapedeck_store_up 0\n")
      }
      expect(counts).toBe(1)
    })
  )
})

test("the numbers of a store that another process reports are not shown", async () => {
  let isReporter = true
  await scrapes({ isReporter: Effect.sync(() => isReporter) }, (scrape) =>
    Effect.gen(function* () {
      const names = ["tapedeck_deliveries", "tapedeck_jobs{", "tapedeck_audit_unlinked_seconds"]
      const own = yield* scrape
      for (const name of names) expect(own).toContain(`\n${name}`)
      isReporter = false
      let text = own
      while (text === own) text = yield* scrape
      for (const name of names) expect(text).not.toContain(`\n${name}`)
      expect(text).toContain("tapedeck_store_up 1\n")
    })
  )
})
