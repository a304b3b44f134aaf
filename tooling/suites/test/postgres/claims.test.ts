import { queueKeyOf, type Store } from "@tapedeck/core"
import { type Dispatcher, makeWorker } from "@tapedeck/dispatcher"
import { AccountId, AutomationId, DeliveryId } from "@tapedeck/domain"
import type { Claim, DeliveryQueue } from "@tapedeck/domain/delivery"
import { aDelivery, aResult, dueAt, failed, instantAfter } from "@tapedeck/testkit/samples"
import { Clock, Deferred, Effect, Fiber, type Scope } from "effect"
import { Client } from "pg"
import { afterAll, expect, test } from "vitest"
import { stopPostgres } from "../conformance/postgres.ts"
import { type Cluster, twoNodes } from "./nodes.ts"

afterAll(stopPostgres)

const onCluster = (sentence: string, body: (cluster: Cluster) => Effect.Effect<unknown, never, Scope.Scope>) =>
  test(sentence, () => Effect.runPromise(Effect.scoped(Effect.flatMap(twoNodes, body))))

const leaseMs = 1_000
const claim = (store: Store, limit = 100) => store.deliveries.claim({ limit, leaseMs })

onCluster("a delivery is claimed by one node, however many claim at the same time", ({ nodes }) =>
  Effect.gen(function* () {
    const ids = Array.from({ length: 120 }, (_, index) => `delivery ${index}`)
    yield* Effect.forEach(ids, (id) => nodes[0].deliveries.insert(aDelivery(id)), { concurrency: 4 })
    const asked = Array.from({ length: 40 }, (_, turn) => claim(nodes[turn % 2]!, 4))
    const claimed = (yield* Effect.all(asked, { concurrency: "unbounded" })).flat()
    const rest = yield* claim(nodes[1], 200)
    expect([...claimed, ...rest].map(({ delivery }) => String(delivery.id)).toSorted()).toEqual(ids.toSorted())
  })
)

onCluster("a node that was suspended for longer than its lease overwrites nothing of its successor", (cluster) =>
  Effect.gen(function* () {
    const [stopped, successor] = cluster.nodes
    const rowOf = Effect.promise(() =>
      cluster.database.query("SELECT * FROM deliveries NATURAL LEFT JOIN delivery_queue")
    )
    yield* stopped.deliveries.insert(aDelivery("a"))
    const [old] = yield* claim(stopped)
    yield* cluster.setTime(instantAfter(leaseMs))
    const [own] = yield* claim(successor)
    expect(own).toMatchObject({ reason: "lost", fence: old!.fence + 1 })
    const before = yield* rowOf
    // It wakes up, and goes on where it was.
    expect(yield* stopped.deliveries.settle(old!, () => failed(old!, instantAfter(500)))).toBeNull()
    yield* stopped.deliveries.hold(old!, aResult(), instantAfter(9_000))
    expect(yield* stopped.deliveries.renew([old!], leaseMs)).toEqual([false])
    expect(yield* rowOf).toEqual(before)
    const settled = yield* successor.deliveries.settle(own!, () => failed(own!, instantAfter(leaseMs)))
    expect(settled).not.toBeNull()
    // And once more, after its successor is done.
    const done = yield* rowOf
    expect(yield* stopped.deliveries.settle(old!, () => failed(old!, instantAfter(500)))).toBeNull()
    expect(yield* rowOf).toEqual(done)
  })
)

onCluster("renewals do not wait for locked leases, and lose none", (cluster) =>
  Effect.gen(function* () {
    const [node] = cluster.nodes
    yield* Effect.forEach(["a", "b", "c"], (id) => node.deliveries.insert(aDelivery(id)))
    const claims = yield* claim(node)
    const other = new Client({ connectionString: cluster.database.url })
    const ask = (text: string) => Effect.promise(() => other.query(text))
    yield* Effect.acquireRelease(
      Effect.promise(() => other.connect()),
      () => Effect.promise(() => other.end())
    )
    yield* ask("BEGIN; SELECT 1 FROM delivery_queue q JOIN deliveries d USING (sequence) WHERE d.id = 'b' FOR UPDATE")
    yield* cluster.setTime(instantAfter(500))
    expect(yield* node.deliveries.renew(claims, leaseMs)).toEqual([true, true, true])
    yield* ask("COMMIT")
    const ends = Effect.map(node.agenda.list, (all) => all.map(({ at }) => at))
    expect(yield* ends).toEqual([instantAfter(leaseMs), instantAfter(500 + leaseMs), instantAfter(500 + leaseMs)])
    expect(yield* node.deliveries.renew(claims, leaseMs)).toEqual([true, true, true])
    expect(yield* ends).toEqual([500, 500, 500].map((ms) => instantAfter(ms + leaseMs)))
  })
)

onCluster("a delivery whose attempt fails while its automation is turned off is cancelled, not retried", (cluster) =>
  Effect.gen(function* () {
    const [node] = cluster.nodes
    const automationId = AutomationId.make("one")
    yield* node.deliveries.insert(aDelivery("a", { automationId }))
    yield* claim(node)
    const other = new Client({ connectionString: cluster.database.url })
    yield* Effect.acquireRelease(
      Effect.promise(() => other.connect()),
      () => Effect.promise(() => other.end())
    )
    // As another node settles a failed attempt.
    yield* Effect.promise(() => other.query("BEGIN; UPDATE delivery_queue SET leased_until = 0"))
    const cancelling = yield* Effect.forkChild(
      node.deliveries.cancelOf({ automationId }, { at: instantAfter(1), limit: 100, progress: null }),
      { startImmediately: true }
    )
    const waiting = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    yield* Effect.promise(() => expect.poll(() => cluster.database.query(waiting)).toHaveLength(1))
    yield* Effect.promise(() => other.query("COMMIT"))
    expect(yield* Fiber.join(cancelling)).toBeNull()
    const delivery = yield* node.deliveries.byId(aDelivery("a").id)
    expect(delivery?.state).toEqual({ _tag: "Cancelled", at: instantAfter(1) })
  })
)

onCluster("the database's clock decides what is due, not a node's", (cluster) =>
  Effect.gen(function* () {
    const [one, other] = cluster.nodes
    yield* one.deliveries.insert(dueAt("a", instantAfter(10)))
    const ahead = { ...Clock.Clock.defaultValue(), currentTimeMillis: Effect.succeed(instantAfter(3_600_000)) }
    expect(yield* Effect.provideService(claim(other), Clock.Clock, ahead)).toEqual([])
    yield* cluster.setTime(instantAfter(10))
    expect(yield* claim(other)).toHaveLength(1)
  })
)

onCluster("a node is notified of deliveries that another node schedules", ({ nodes: [one, other] }) =>
  Effect.gen(function* () {
    const heard = yield* Effect.forkChild(other.agenda.changed, { startImmediately: true })
    // Until the other one listens, which it begins to at its start: told again and again, as by a busy node.
    const telling = Effect.forever(
      Effect.gen(function* () {
        yield* one.deliveries.insert(aDelivery(`delivery ${yield* one.nextNumber("account")}`))
      })
    )
    yield* Effect.raceFirst(telling, Fiber.join(heard))
  })
)

/** As many deliveries as that, of one account, like the one that is there. */
const multiply = ({ database }: Cluster, count: number) =>
  Effect.promise(() =>
    database.query(`
      CREATE TEMPORARY TABLE copies AS
        SELECT nextval(pg_get_serial_sequence('deliveries', 'sequence')) AS number, n FROM generate_series(1, ${count}) n;
      INSERT INTO deliveries (sequence, id, account_id, automation_id)
        SELECT number, id || n, account_id, automation_id FROM deliveries, copies;
      INSERT INTO delivery_documents
        SELECT number, replace(document, d.id, d.id || n), body
        FROM delivery_documents JOIN deliveries d USING (sequence), copies WHERE number <> sequence;
      INSERT INTO delivery_queue (sequence, account_id, receiver, retry, state, attempts, fence, due_kind, due_at, due_order)
        SELECT number, account_id, receiver, retry, state, attempts, fence, due_kind, due_at, due_order + n
        FROM delivery_queue, copies`)
  )

/** Where PostgreSQL has each row of the queue: its page, and what indexes hold of it. */
const places = ({ database }: Cluster) =>
  Effect.promise(() =>
    database.query(
      `SELECT sequence, (ctid::text::point)[0] AS page, receiver, retry, due_at, due_order
      FROM delivery_queue ORDER BY sequence`
    )
  )

onCluster("a claim and a renewal change no index, because new row versions stay on the same page", (cluster) =>
  Effect.gen(function* () {
    const [node] = cluster.nodes
    yield* node.deliveries.insert(aDelivery("one"))
    yield* multiply(cluster, 500)
    const indexed = yield* Effect.promise(() =>
      cluster.database.query(
        `SELECT DISTINCT attname::text AS name FROM pg_index JOIN pg_attribute ON attrelid = indexrelid
        WHERE indrelid = 'delivery_queue'::regclass AND indpred IS NULL AND indexprs IS NULL ORDER BY name`
      )
    )
    expect(indexed.map(({ name }) => name)).toEqual(["due_at", "due_order", "receiver", "retry", "sequence"])
    const before = yield* places(cluster)
    const claims = yield* claim(node, 1_000)
    expect(claims).toHaveLength(501)
    expect(yield* places(cluster)).toEqual(before)
    yield* node.deliveries.renew(claims.slice(0, 100), leaseMs)
    expect(yield* places(cluster)).toEqual(before)
  })
)

onCluster("outcomes that are settled twice, in two concurrent batches, are recorded once", (cluster) =>
  Effect.gen(function* () {
    const [node] = cluster.nodes
    yield* node.deliveries.insert(aDelivery("one"))
    yield* multiply(cluster, 700)
    const claims = yield* claim(node, 1_000)
    const settle = (one: Claim) => node.deliveries.settle(one, () => failed(one, instantAfter(500)))
    const twice = [...claims, ...claims.toReversed()]
    const answers = yield* Effect.all(twice.map(settle), { concurrency: "unbounded" })
    const settled = answers.filter((answer) => answer !== null).map(({ id }) => String(id))
    expect(settled.toSorted()).toEqual(claims.map(({ delivery }) => String(delivery.id)).toSorted())
    const [recorded] = yield* Effect.promise(() =>
      cluster.database.query(
        `SELECT count(*)::int AS lines, count(DISTINCT sequence)::int AS deliveries,
          (SELECT count(*)::int FROM delivery_queue WHERE attempts = 1 AND leased_until = 0) AS queued
        FROM delivery_attempts`
      )
    )
    expect(recorded).toEqual({ lines: 701, deliveries: 701, queued: 701 })
  })
)

onCluster(
  "with 100,000 deliveries of one account queued, another account's delivery is claimed within 2 claims",
  (cluster) =>
    Effect.gen(function* () {
      const [api, node] = cluster.nodes
      yield* api.deliveries.insert(aDelivery("backlog"))
      yield* multiply(cluster, 100_000)
      yield* cluster.setTime(instantAfter(1_000))
      yield* api.deliveries.insert({
        ...dueAt("alone", instantAfter(500)),
        accountId: AccountId.make(2),
        automationId: AutomationId.make("another")
      })
      const seen = yield* Deferred.make<number>()
      let claims = 0
      const queue: DeliveryQueue = {
        ...node.deliveries,
        keyOf: queueKeyOf,
        agenda: { next: node.agenda.next([]), changed: node.agenda.changed },
        claim: (options) =>
          Effect.suspend(() => {
            claims++
            return node.deliveries.claim(options)
          })
      }
      const perform = ({ delivery }: Claim) =>
        Effect.gen(function* () {
          if (delivery.id === DeliveryId.make("alone")) yield* Deferred.succeed(seen, claims)
          return yield* Effect.never
        })
      const dispatcher: Dispatcher = { queue, perform: (one) => Effect.as(perform(one), null) }
      const worker = Effect.scoped(makeWorker(dispatcher, { concurrency: 32, graceMs: 0 }))
      const working = yield* Effect.forkDetach(worker)
      expect(yield* Deferred.await(seen)).toBeLessThanOrEqual(2)
      yield* Fiber.interrupt(working)
    })
)
