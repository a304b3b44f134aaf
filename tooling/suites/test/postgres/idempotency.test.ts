import {
  type Caller,
  IdempotencyKeys,
  Ids,
  type KeyedRequest,
  type KeyInFlight,
  type KeyReused,
  type Store,
  storeLayer,
  Vault
} from "@tapedeck/core"
import { Deferred, Effect, Exit, Fiber, Layer, Redacted, type Scope } from "effect"
import { afterAll, expect, test } from "vitest"
import { stopPostgres } from "../conformance/postgres.ts"
import { type Cluster, twoNodes } from "./nodes.ts"

afterAll(stopPostgres)

interface Nodes {
  readonly cluster: Cluster
  readonly keys: readonly [IdempotencyKeys["Service"], IdempotencyKeys["Service"]]
}

/** Two nodes with one key and one database, each with its own memory of what is in flight. */
const keyedNodes = Effect.gen(function* () {
  const cluster = yield* twoNodes
  const vault = Vault.layer(Redacted.make(new Uint8Array(32)))
  const keysOn = (store: Store) =>
    Effect.service(IdempotencyKeys).pipe(
      Effect.provide(IdempotencyKeys.layer.pipe(Layer.provide([storeLayer(store), vault, Ids.layerRandom])), {
        local: true
      })
    )
  const [first, second] = cluster.nodes
  return { cluster, keys: [yield* keysOn(first), yield* keysOn(second)] } satisfies Nodes
})

const onNodes = (sentence: string, body: (nodes: Nodes) => Effect.Effect<unknown, never, Scope.Scope>) =>
  test(sentence, () => Effect.runPromise(Effect.scoped(Effect.flatMap(keyedNodes, body))))

const requestOf = (key: string): KeyedRequest => ({
  // Of the caller no more is asked than who it is.
  caller: { kind: "access", user: { id: 11 } } as Caller,
  operation: "folders.create",
  key,
  path: "/api/settings/folders",
  body: new TextEncoder().encode("{}")
})

/** Takes a number, which shows how often it was done, and answers with it. */
const counted = (store: Store, before: Effect.Effect<void> = Effect.void) =>
  Effect.gen(function* () {
    yield* before
    const number = yield* store.nextNumber("account")
    return { answer: { status: 201, headers: {}, body: `number ${number}` }, followUp: null }
  })

type Run = ReturnType<typeof counted>

const ask = (keys: IdempotencyKeys["Service"], key: string, run: Run) =>
  keys.answer<never, never>(requestOf(key), { run, refusal: () => undefined })

const tagOf = (error: KeyInFlight | KeyReused) => error._tag

onNodes(
  "while one node handles a request the other refuses its repeat, and then returns the stored answer",
  ({ cluster: { nodes }, keys }) =>
    Effect.gen(function* () {
      const [begun, ended] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const slow = Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(ended))
      const first = yield* Effect.forkChild(ask(keys[0], "k1", counted(nodes[0], slow)))
      yield* Deferred.await(begun)
      const repeat = ask(keys[1], "k1", counted(nodes[1]))
      expect(yield* Effect.flip(repeat).pipe(Effect.map(tagOf), Effect.orDie)).toBe("KeyInFlight")
      expect(yield* Effect.orDie(ask(keys[1], "k2", counted(nodes[1])))).toMatchObject({ isReplayed: false })
      yield* Deferred.succeed(ended, undefined)
      const { answer } = yield* Effect.orDie(Fiber.join(first))
      expect(yield* Effect.orDie(repeat)).toEqual({ answer, isReplayed: true })
    })
)

onNodes(
  "a node that loses its connection during a request leaves nothing: the other handles it, and both return its answer",
  ({ cluster: { database, nodes }, keys }) =>
    Effect.gen(function* () {
      const [begun, ended] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const slow = Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(ended))
      const first = yield* Effect.forkChild(ask(keys[0], "k1", counted(nodes[0], slow)))
      yield* Deferred.await(begun)
      const holders = `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND mode = 'ExclusiveLock'
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`
      const terminated = yield* Effect.promise(() =>
        database.query(`SELECT pg_terminate_backend(pid, 5000) AS ended FROM (${holders}) AS held`)
      )
      expect(terminated).toEqual([{ ended: true }])
      const second = yield* Effect.orDie(ask(keys[1], "k1", counted(nodes[1])))
      expect(second.isReplayed).toBe(false)
      yield* Deferred.succeed(ended, undefined)
      // Its transaction runs again, on another connection.
      expect(yield* Effect.orDie(Fiber.join(first))).toEqual({ ...second, isReplayed: true })
    })
)

onNodes("a request that reaches both nodes at the same moment is handled once", ({ cluster: { nodes }, keys }) =>
  Effect.gen(function* () {
    for (let round = 0; round < 40; round += 1) {
      const both = [0, 1, 0, 1].map((at) => ask(keys[at]!, `k${round}`, counted(nodes[at]!)))
      const answers = yield* Effect.all(
        both.map((one) => Effect.exit(one)),
        { concurrency: "unbounded" }
      )
      const given = answers.flatMap((exit) => (Exit.isSuccess(exit) ? [exit.value] : []))
      expect(given.filter(({ isReplayed }) => !isReplayed)).toHaveLength(1)
      expect(new Set(given.map(({ answer }) => answer.body)).size).toBe(1)
      expect(yield* Effect.orDie(ask(keys[0], `k${round}`, counted(nodes[0])))).toMatchObject({ isReplayed: true })
    }
  })
)
