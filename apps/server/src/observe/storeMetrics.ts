import { declareGauge, storeOf } from "@tapedeck/core"
import { jobKinds } from "@tapedeck/domain/internal/jobs"
import { Clock, Effect, Fiber, Metric } from "effect"

const deliveries = declareGauge(
  "tapedeck_deliveries",
  "Deliveries that have not ended: before the first attempt (`scheduled`), before a retry (`waiting`), in flight (`attempting`)",
  { state: ["scheduled", "waiting", "attempting"] }
)

const oldestDelivery = declareGauge(
  "tapedeck_deliveries_oldest_due_seconds",
  "Time since the oldest delivery that is not in flight became due; 0 if none is due",
  {}
)

const kinds = Object.keys(jobKinds) as ReadonlyArray<keyof typeof jobKinds>

const jobs = declareGauge(
  "tapedeck_jobs",
  "Jobs that have not ended, due now or later (`waiting`) or in progress (`claimed`). An open capture is a job that is due when the capture falls silent",
  { kind: kinds, state: ["waiting", "claimed"] }
)

const oldestJob = declareGauge(
  "tapedeck_jobs_oldest_due_seconds",
  "Time since the oldest job that is not in progress became due; 0 if none is due",
  { kind: kinds }
)

const unlinked = declareGauge(
  "tapedeck_audit_unlinked_seconds",
  "Age of the oldest audit entry that is not linked to its chain; 0 if all are linked",
  {}
)

const storeUp = declareGauge("tapedeck_store_up", "1 if the store answered the last count, else 0", {})

const storageFull = declareGauge(
  "tapedeck_storage_full",
  "1 if a write found no space and there is still none, else 0",
  {}
)

export const ownedStoreMetrics = [storeUp, storageFull]

/** The numbers of the whole store, which one of its processes reports. */
export const sharedStoreMetrics = [deliveries, oldestDelivery, jobs, oldestJob, unlinked]

/** Time for which a count is reused, as a multiple of its own duration. A count of a million waiting deliveries lasts 90 ms. */
const keptFor = 100
const keptAtLeastMs = 2_000
const keptAtMostMs = 30_000

/** Maximum time for which a scrape waits for the store. Prometheus gives a scrape 10 s. */
const waitMs = 3_000

type Numbers = ReadonlyArray<readonly [gauge: Metric.Gauge<number>, value: number]>

/**
 * Updates the metrics of the store, at most slightly out of date. One count runs at a time: while the store does not respond, scrapes
 * wait for the same one, each for a limited time. The numbers of a store that does not respond, and of one that another process reports,
 * are not shown.
 */
export const makeStoreMetrics = Effect.gen(function* () {
  const store = yield* storeOf("auditSeals", "deliveries", "isReporter", "jobs", "space")
  const scope = yield* Effect.scope
  const showUp = (isUp: boolean) => Metric.update(storeUp.of({}), isUp ? 1 : 0)
  let shown: Numbers = []
  const show = Effect.fnUntraced(function* (numbers: Numbers) {
    for (const [gauge] of shown) yield* Metric.remove(gauge)
    for (const [gauge, value] of numbers) yield* Metric.update(gauge, value)
    shown = numbers
  })

  const numbers = Effect.gen(function* () {
    const [queue, counts] = [yield* store.deliveries.queue, yield* store.jobs.counts]
    const oldestUnlinkedAt = yield* store.auditSeals.oldestUnlinkedAt
    const now = yield* Clock.currentTimeMillis
    const since = (at: number | null | undefined) => (at == null ? 0 : Math.max(0, (now - at) / 1_000))
    return [
      ...(["scheduled", "waiting", "attempting"] as const).map(
        (state) => [deliveries.of({ state }), queue[state]] as const
      ),
      [oldestDelivery.of({}), since(queue.nextAt)] as const,
      ...kinds.flatMap((kind) => {
        const found = counts.find((one) => one.kind === kind)
        return [
          [jobs.of({ kind, state: "waiting" }), found?.waiting ?? 0] as const,
          [jobs.of({ kind, state: "claimed" }), found?.claimed ?? 0] as const,
          [oldestJob.of({ kind }), since(found?.availableAt)] as const
        ]
      }),
      [unlinked.of({}), since(oldestUnlinkedAt)] as const
    ]
  })

  // Its session may find no room at the database although all requests are served.
  const isReporter = Effect.catchCause(store.isReporter, (cause) =>
    Effect.as(Effect.logWarning("the session that makes this node the reporter could not be opened", cause), false)
  )

  let countAgainAt = 0
  const count = Effect.gen(function* () {
    yield* Metric.update(storageFull.of({}), (yield* store.space.isFull) ? 1 : 0)
    const startedAt = performance.now()
    if (startedAt < countAgainAt) return
    yield* show((yield* isReporter) ? yield* numbers : [])
    yield* showUp(true)
    const tookMs = performance.now() - startedAt
    countAgainAt = startedAt + Math.min(keptAtMostMs, Math.max(keptAtLeastMs, keptFor * tookMs))
  }).pipe(
    // Other metrics are served even if the store fails.
    Effect.catchCause((cause) =>
      Effect.all([Effect.logError("store could not be counted", cause), show([]), showUp(false)], { discard: true })
    )
  )

  let running: Fiber.Fiber<void> | undefined
  const update = Effect.gen(function* () {
    running ??= yield* Effect.forkIn(
      Effect.ensuring(
        count,
        Effect.sync(() => {
          running = undefined
        })
      ),
      scope,
      { startImmediately: false }
    )
    const isSlow = Effect.as(Effect.andThen(show([]), showUp(false)), undefined)
    yield* Effect.timeoutOrElse(Fiber.await(running), { duration: waitMs, orElse: () => isSlow })
  })
  return { update }
})
