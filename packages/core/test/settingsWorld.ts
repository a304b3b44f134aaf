import type { Delivery, Instant, VideoFile } from "@tapedeck/domain"
import { outcomeOfStatus } from "@tapedeck/domain/internal/delivery"
import { Context, Effect, Layer, Scope } from "effect"
import { type SettingsServices, settingsUseCases, TestSender } from "../src/index.ts"
import {
  aDestination,
  aFolder,
  anAutomation,
  aRecording,
  aTranscript,
  aWholeRecording,
  bob,
  readWhole,
  saveWhole,
  uuidOf
} from "./examples.ts"
import { overNetwork } from "./network.ts"
import { makeWorld, type UseCases } from "./useCaseWorld.ts"

export const aFile = (fileId: string): VideoFile => ({ fileId, contentType: "video/webm", sizeBytes: 3, etag: fileId })

/** Finishes send-tests with this status, at once. */
const answering = (status: () => number, at: () => Instant) =>
  TestSender.of({
    send: (delivery) =>
      overNetwork(
        Effect.sync((): Delivery => {
          const outcome = outcomeOfStatus(status())
          const ended = {
            attempt: 1,
            at: at(),
            elapsedMs: 0,
            endedAt: at(),
            outcome,
            statusCode: status(),
            request: { method: "POST", url: "https://receiver.test/", headers: [], body: delivery.body },
            response: { headers: [], body: "", truncated: false },
            error: null
          }
          const state = outcome === "success" ? "Delivered" : "PermanentlyFailed"
          return { ...delivery, state: { _tag: state, at: at() }, attempts: [ended] }
        })
      )
  })

/**
 * What the settings do, over a world with two folders, a webhook of each kind, and a recording of Bob's (1) and one
 * without an owner (2). Ada is the only admin.
 */
export const makeSettingsWorld = async (...options: Parameters<typeof makeWorld>) => {
  const world = await makeWorld(...options)
  let testStatus = 200
  let testAt: Instant = bob.createdAt
  const context = await world.run(
    Effect.gen(function* () {
      const services = yield* Effect.context<UseCases>()
      const sender = answering(
        () => testStatus,
        () => testAt
      )
      const layer = settingsUseCases.pipe(
        Layer.provideMerge(Layer.succeedContext(Context.add(services, TestSender, sender)))
      )
      return yield* Layer.buildWithScope(layer, yield* Scope.make())
    })
  )
  const run = <A, E>(effect: Effect.Effect<A, E, UseCases | SettingsServices>): Promise<A> =>
    world.run(Effect.provideContext(effect, context))
  const { store } = world

  await run(
    Effect.gen(function* () {
      yield* Effect.forEach([aFolder("vip"), aFolder("bugs")], store.folders.save)
      yield* store.automations.save(anAutomation("crm", { headers: { "X-Key": "k-4711" } }))
      yield* store.destinations.save(aDestination("siem", { secret: "s" }))
      yield* store.files.save("f1", { kind: "bytes", bytes: new Uint8Array([1, 2, 3]) })
      yield* saveWhole(
        store,
        aWholeRecording(1, {
          ownerId: bob.id,
          video: { original: aFile("f1"), processed: null, edited: null },
          transcript: aTranscript({
            processed: [{ startSeconds: 0, endSeconds: 4, text: "Recognized", sentences: [] }]
          })
        })
      )
      yield* store.recordings.save(aRecording(2))
    })
  )

  return {
    ...world,
    run,
    /** The error that the effect fails with; a test that succeeds instead fails. */
    refusal: <A, E>(effect: Effect.Effect<A, E, UseCases | SettingsServices>): Promise<E> =>
      run(Effect.flip(effect)) as Promise<E>,
    /** What receivers of send-tests answer from now on, and when. */
    answerTests: (status: number, at: Instant = testAt) => {
      testStatus = status
      testAt = at
    },
    recording: (n: number) => run(Effect.map(store.recordings.byUuid(uuidOf(n)), (found) => found!)),
    /** A recording with its parts. */
    whole: (n: number) => run(Effect.map(readWhole(store, uuidOf(n)), (found) => found!))
  }
}

export type SettingsWorld = Awaited<ReturnType<typeof makeSettingsWorld>>
