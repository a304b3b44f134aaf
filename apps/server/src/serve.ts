import { createServer, type Server } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { makeWorker, type WorkerOptions } from "@tapedeck/dispatcher"
import type { RecordingUuid } from "@tapedeck/domain"
import { makeProductAppWith, serverOptions } from "@tapedeck/http"
import { Effect } from "effect"
import { HttpServer } from "effect/http"
import { withHomePage } from "./home.ts"
import { resumableUploads, type UploadOptions } from "./uploads/resumableUploads.ts"

/** How long answers that are under way may still take once the server is asked to stop; then their connections end. */
const stoppingMs = 10_000

export interface Served {
  readonly port: number
  readonly host: string
  readonly deliveries: Pick<WorkerOptions, "concurrency" | "perHost">
  /** Recordings that the home page names. */
  readonly shown: ReadonlyArray<RecordingUuid>
  readonly uploads: UploadOptions
}

/**
 * Makes deliveries and answers requests until it is interrupted. `onListening` gets the origin. What is under way when it is
 * interrupted ends first, as far as it does so in time; nobody new is let in meanwhile.
 */
export const serve = (
  { deliveries, host, port, shown, uploads }: Served,
  onListening: (origin: string) => Effect.Effect<void>
) =>
  Effect.suspend(() => {
    // Node would end every request after five minutes, and with it the upload of a large file over a slow line.
    const server = createServer({ ...serverOptions, requestTimeout: 0 })
    const answering = Effect.gen(function* () {
      const app = yield* makeProductAppWith(yield* resumableUploads(uploads))
      yield* HttpServer.serveEffect(yield* withHomePage(app, shown))
      yield* HttpServer.addressFormattedWith(onListening)
      return yield* Effect.never
    }).pipe(Effect.scoped, Effect.ensuring(hangUp(server)))
    return Effect.gen(function* () {
      yield* Effect.forkScoped(Effect.scoped(makeWorker({ ...deliveries, graceMs: stoppingMs })))
      return yield* answering
    }).pipe(
      Effect.provide(NodeHttpServer.layer(() => server, { host, port, gracefulShutdownTimeout: stoppingMs })),
      Effect.scoped
    )
  })

/** On whoever is left: a reader who is slow, or has gone without a word. */
const hangUp = (server: Server) => Effect.sync(() => server.closeAllConnections())
