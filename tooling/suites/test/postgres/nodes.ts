import type { Store } from "@tapedeck/core"
import type { Instant } from "@tapedeck/domain"
import { inspectPostgres } from "@tapedeck/storage/postgres"
import { startInstant } from "@tapedeck/testkit/samples"
import { Effect, Redacted, type Scope } from "effect"
import type { TestDatabase } from "../../src/postgres/index.ts"
import { directory, emptyDatabase, openPostgres } from "../conformance/postgres.ts"

/** Processes on one database, each with a store and connections of its own. */
export interface Cluster {
  readonly nodes: readonly [Store, Store]
  readonly database: TestDatabase
  /** By the database's clock, which both go by. */
  readonly setTime: (now: Instant) => Effect.Effect<void>
}

export const twoNodes: Effect.Effect<Cluster, never, Scope.Scope> = Effect.gen(function* () {
  const database = yield* emptyDatabase
  const place = yield* directory
  const setTime = (now: Instant) => Effect.promise(() => database.query("UPDATE test_clock SET at = $1", [now]))
  yield* setTime(startInstant)
  const open = openPostgres(database.url, place)
  return { nodes: [yield* open, yield* open], database, setTime }
})

/** What `tapedeck doctor` finds wrong with the database: lists that are counted, references, states. */
export const faultsOf = ({ database }: Cluster) =>
  Effect.map(inspectPostgres(Redacted.make(database.url)), ({ faults }) => Object.values(faults).flat())
