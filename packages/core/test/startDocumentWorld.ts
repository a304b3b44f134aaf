import { createHash } from "node:crypto"
import { Instant, parseIso, RecordingUuid } from "@tapedeck/domain"
import { Cause, Context, Effect, Exit, Layer, Redacted, Stream } from "effect"
import { TestClock } from "effect/testing"
import { AccessTokens } from "../src/AccessTokens.ts"
import { Ids } from "../src/Ids.ts"
import { makeMemoryStore } from "../src/memory/MemoryStore.ts"
import { emptyWorld } from "../src/memory/WorldState.ts"
import { Store } from "../src/Store.ts"
import type { StartDocumentOptions } from "../src/startDocument/context.ts"
import { loadStartDocument } from "../src/startDocument/load.ts"
import { StartDocumentInvalid } from "../src/startDocument/problems.ts"
import { Vault } from "../src/Vault.ts"
import { readWhole } from "./examples.ts"

export const startInstant = parseIso("2026-01-01T00:00:00.000Z")!

export const at = (text: string): Instant => Instant.make(parseIso(text)!)

const emulator: StartDocumentOptions = {
  vendor: "Tapedeck",
  allowHttp: true,
  sinkUrl: (id) => `https://sinks.test/${id}`
}

/** A world in memory, with ids that depend on the seed and a counter of their kind, kept in the store as the emulator's are. */
export const makeWorld = (seed = "1") => {
  const memory = makeMemoryStore(emptyWorld())
  const ids = Ids.of({
    bytes: (kind, length) =>
      Effect.map(memory.count(`id/${kind}`), (count) =>
        createHash("sha512").update(`${seed}/${kind}/${count}`).digest().subarray(0, length)
      )
  })
  const vault = Vault.make(Redacted.make(new Uint8Array(32).fill(7)))
  const ports = Layer.succeedContext(
    Context.make(Store, memory.store).pipe(Context.add(Ids, ids), Context.add(Vault, vault))
  )
  const layer = AccessTokens.layer.pipe(Layer.provideMerge(ports), Layer.provideMerge(TestClock.layer()))

  const run = <A, E>(effect: Effect.Effect<A, E, Store | Ids | Vault | AccessTokens>) =>
    Effect.runPromise(
      Effect.gen(function* () {
        yield* TestClock.setTime(startInstant)
        return yield* effect
      }).pipe(Effect.provide(layer))
    )

  return {
    memory,
    store: memory.store,
    vault,
    run,
    load: (document: unknown, options: Partial<StartDocumentOptions> = {}) =>
      run(loadStartDocument(document, { ...emulator, ...options })),
    /** `path: message` of everything that is wrong with the document. */
    problems: async (document: unknown, options: StartDocumentOptions = emulator) => {
      const exit = await run(Effect.exit(loadStartDocument(document, options)))
      if (Exit.isSuccess(exit)) return []
      const error = Cause.squash(exit.cause)
      if (!(error instanceof StartDocumentInvalid)) throw error
      return error.message.split("\n")
    },
    bytesOf: (id: string, start: number, length: number) =>
      run(
        Effect.gen(function* () {
          const store = yield* Store
          const stream = yield* store.files.read(id, start, length)
          const pieces = stream === undefined ? [] : yield* Stream.runCollect(stream)
          return Buffer.concat([...pieces])
        })
      )
  }
}

export type TestWorld = ReturnType<typeof makeWorld>

/** The UUID of the one recording in tests that need one. */
export const uuid = "7d0f3c1e-5b0a-4c57-9d3e-2f1f6a8b9c10"

export const recordingOf = (world: TestWorld, id = uuid) => world.run(readWhole(world.store, RecordingUuid.make(id)))

/** A world with one recording, of these fields. */
export const loadRecording = async (fields: object, rest: object = {}) => {
  const world = makeWorld()
  const loaded = await world.load({ ...rest, recordings: [{ uuid, ...fields }] })
  const recording = await recordingOf(world)
  return { world, loaded, recording: recording! }
}
