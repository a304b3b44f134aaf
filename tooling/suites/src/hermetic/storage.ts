import {
  AccessTokens,
  defaultServiceConfig,
  deliveryQueue,
  Folders,
  Ids,
  Recordings,
  ServiceConfig,
  type Store,
  storeLayer,
  storeOf,
  UploadPolicy,
  useCases,
  Vault
} from "@tapedeck/core"
import { Guard, leaseMs, makeDispatcher, Sender } from "@tapedeck/dispatcher"
import { FolderId, Instant } from "@tapedeck/domain"
import { loadStartDocument } from "@tapedeck/fixtures"
import { onTrial, type StoreBackend, type Trial } from "@tapedeck/testkit"
import { startInstant } from "@tapedeck/testkit/samples"
import { Effect, Layer, Redacted } from "effect"
import { describe, expect, test } from "vitest"
import { uuidOf } from "./world.ts"

const document = {
  users: [{ email: "ada@acme.test", name: "Ada", role: "admin", token: "ada-token" }],
  recordings: Array.from({ length: 101 }, (_, index) => ({
    // The newest has the smallest.
    uuid: uuidOf(101 - index),
    title: `Recording ${index + 1}`,
    user: "ada@acme.test",
    created_at: new Date(startInstant - (101 - index) * 1_000).toISOString()
  })),
  folders: [{ id: "vip", name: "VIP" }],
  automations: [
    {
      folder: "vip",
      url: "https://crm.test/hook",
      secret: "k",
      headers: { "X-Team": "7", Authorization: "Bearer key" }
    }
  ]
}

interface Sent {
  readonly ms: number
  readonly url: string
  readonly headers: ReadonlyArray<readonly [string, string]>
  readonly text: string
}

/** The use cases and the dispatcher over a store, and a receiver that always fails. */
const serviceOn = (store: Store, sent: Array<Sent>) =>
  useCases.pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        storeLayer(store),
        Layer.succeed(ServiceConfig, defaultServiceConfig),
        Ids.layerRandom,
        Vault.layer(Redacted.make(new Uint8Array(32).fill(7))),
        Layer.succeed(UploadPolicy, { unknownContent: "refused" }),
        Layer.succeed(Guard, { check: () => Effect.succeed(null) }),
        Layer.succeed(Sender, {
          send: ({ headers, text, url }, { startedAt }) =>
            Effect.sync(() => {
              sent.push({ ms: startedAt - startInstant, url, headers, text })
              return { outcome: "failure", statusCode: 500, response: null, error: null }
            })
        })
      )
    )
  )

const minutes = (...list: ReadonlyArray<number>) => list.map((one) => one * 60_000)

/** The server's way of virtual time: each entry of the agenda at its instant, until `isDone` or nothing is left. */
const run = Effect.fnUntraced(function* (setTime: Trial["setTime"], isDone: () => boolean = () => false) {
  const store = yield* storeOf("agenda")
  const dispatcher = yield* makeDispatcher(yield* deliveryQueue(), defaultServiceConfig)
  while (!isDone()) {
    const due = yield* store.agenda.next([])
    if (due === undefined) return
    yield* setTime(Instant.make(Math.max(due.at, startInstant)))
    for (const claim of yield* dispatcher.queue.claim({ limit: 10, leaseMs })) yield* dispatcher.perform(claim)
  }
})

const load = loadStartDocument(document, { vendor: "Tapedeck", allowHttp: false })
const fire = Effect.flatMap(Folders, (folders) => folders.addRecording(FolderId.make("vip"), uuidOf(1)))

/** What a deployed store promises, with the use cases over it, fixtures in it, and 14 h 36 min of retries in virtual time. */
export const storage = (backend: StoreBackend): void => {
  type Services = Layer.Success<ReturnType<typeof serviceOn>>

  const onService = <A, E>(body: (trial: Trial, sent: Array<Sent>) => Effect.Effect<A, E, Services>) =>
    Effect.runPromise(
      onTrial(backend, (trial) => {
        const sent: Array<Sent> = []
        return Effect.provide(body(trial, sent), serviceOn(trial.store, sent))
      })
    )

  describe(`the store with use cases and fixtures, ${backend.name}`, () => {
    test("retries a delivery that always fails at the times of the specification's table, and has each in its log", () =>
      onService(({ setTime, store }, sent) =>
        Effect.gen(function* () {
          yield* load
          yield* fire
          yield* run(setTime)
          expect(sent.map(({ ms }) => ms)).toEqual(minutes(0, 1, 6, 36, 156, 876))
          expect(new Set(sent.map(({ text }) => text)).size).toBe(1)
          const [delivery] = yield* store.deliveries.list({})
          expect(delivery?.state).toMatchObject({ _tag: "PermanentlyFailed" })
          expect(
            delivery?.attempts.map(({ attempt, at, statusCode }) => [attempt, at - startInstant, statusCode])
          ).toEqual(minutes(0, 1, 6, 36, 156, 876).map((ms, index) => [index + 1, ms, 500]))
        })
      ))

    test("sends custom headers, which it keeps sealed, and a restart between attempts changes nothing", () =>
      onService(({ reopen, setTime, store }, sent) =>
        Effect.gen(function* () {
          yield* load
          yield* fire
          yield* run(setTime, () => sent.length === 3)
          const next = reopen === undefined ? store : yield* reopen
          yield* Effect.provide(run(setTime), serviceOn(next, sent))
          expect(sent.map(({ ms }) => ms)).toEqual(minutes(0, 1, 6, 36, 156, 876))
          const [delivery] = yield* next.deliveries.list({})
          expect(delivery?.attempts.map(({ request }) => request?.headers)).toEqual(sent.map(({ headers }) => headers))
          for (const { headers, url } of sent) {
            expect(url).toBe("https://crm.test/hook")
            expect(Object.fromEntries(headers)).toMatchObject({ "x-team": "7", authorization: "Bearer key" })
          }
        })
      ))

    test("pages what fixtures loaded by 100, the newest first", () =>
      onService(() =>
        Effect.gen(function* () {
          yield* load
          const ada = yield* (yield* AccessTokens).authenticate("ada-token")
          const recordings = yield* Recordings
          const titles = Effect.fnUntraced(function* (page: number) {
            const { recordings: found } = yield* recordings.list(ada, { page })
            return found.map(({ recording }) => recording.title)
          })
          const all = document.recordings.map(({ title }) => title).toReversed()
          expect(yield* titles(1)).toEqual(all.slice(0, 100))
          expect(yield* titles(2)).toEqual(all.slice(100))
        })
      ))
  })
}
