import { createHash } from "node:crypto"
import type { Delivery, Instant } from "@tapedeck/domain"
import type { AuditEntry } from "@tapedeck/domain/audit"
import { Context, Effect, Layer, ManagedRuntime, Redacted } from "effect"
import { TestClock } from "effect/testing"
import {
  type AccessTokens,
  type AuditLog,
  type CaptureServices,
  type Deliveries,
  defaultServiceConfig,
  emptyWorld,
  type Folders,
  Ids,
  makeMemoryStore,
  type RateLimiter,
  type RecordingContent,
  type Recordings,
  type Redeliveries,
  type RefusedTokens,
  ServiceConfig,
  type Sessions,
  type ShareLinks,
  type StoreParts,
  storeContext,
  type Transcripts,
  UploadPolicy,
  type Users,
  useCases,
  Vault
} from "../src/index.ts"
import { acme, ada, bob, cyd, other, otto, sessionTokenOf, startInstant } from "./examples.ts"
import { withoutNetwork } from "./network.ts"

export type UseCases =
  | AccessTokens
  | AuditLog
  | Deliveries
  | CaptureServices
  | Folders
  | Ids
  | RateLimiter
  | RecordingContent
  | Recordings
  | Redeliveries
  | RefusedTokens
  | ServiceConfig
  | Sessions
  | ShareLinks
  | StoreParts
  | Transcripts
  | UploadPolicy
  | Users
  | Vault

/** Every use case over a store in memory, with Acme's and Other's people in it, on a clock that stands still. */
export const makeWorld = async (
  config: Partial<ServiceConfig["Service"]> = {},
  policy: UploadPolicy["Service"] = { unknownContent: "as_declared" }
) => {
  const settings = { ...defaultServiceConfig, ...config }
  const memory = makeMemoryStore(emptyWorld())
  const ids = Ids.of({
    bytes: (kind, length) =>
      Effect.map(memory.count(`id/${kind}`), (count) =>
        createHash("sha512").update(`${kind}/${count}`).digest().subarray(0, length)
      )
  })
  // Tests replace `transaction` of the store.
  const transaction = withoutNetwork((body) => Effect.suspend(() => memory.store.transaction(body)))
  const ports = storeContext({ ...memory.store, transaction }).pipe(
    Context.add(ServiceConfig, settings),
    Context.add(Ids, ids),
    Context.add(UploadPolicy, policy),
    Context.add(Vault, Vault.make(Redacted.make(new Uint8Array(32).fill(7))))
  )
  const runtime = ManagedRuntime.make(
    useCases.pipe(Layer.provideMerge(Layer.succeedContext(ports)), Layer.provideMerge(TestClock.layer()))
  )
  const run = <A, E>(effect: Effect.Effect<A, E, UseCases>): Promise<A> => runtime.runPromise(effect)
  const world = {
    memory,
    store: memory.store,
    /** Tests change them meanwhile. */
    settings,
    run,
    /** The error that the effect fails with; a test that succeeds instead fails. */
    refusal: <A, E>(effect: Effect.Effect<A, E, UseCases>): Promise<E> => run(Effect.flip(effect)) as Promise<E>,
    setTime: (to: Instant): Promise<void> => runtime.runPromise(TestClock.setTime(to)),
    entries: (): ReadonlyArray<AuditEntry> => memory.state().auditEntries.valuesArray(),
    deliveries: (): Promise<ReadonlyArray<Delivery>> => run(memory.store.deliveries.list({}))
  }
  await world.setTime(startInstant)
  await run(
    Effect.gen(function* () {
      yield* Effect.forEach([acme, other], memory.store.accounts.save)
      yield* Effect.forEach([ada, bob, cyd, otto], memory.store.users.save)
      // The tokens with which `callerOf` authenticates. They are sessions, so that no list of tokens has them.
      yield* Effect.forEach([ada, bob, cyd, otto], (user) => memory.store.tokens.save(sessionTokenOf(user)))
    })
  )
  return world
}

export type UseCaseWorld = Awaited<ReturnType<typeof makeWorld>>
