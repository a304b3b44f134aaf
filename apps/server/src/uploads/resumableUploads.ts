import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { operationOf, settings } from "@tapedeck/contract"
import { Recordings, ServiceConfig, storeOf } from "@tapedeck/core"
import { AppOptions, type AuthenticatedRequest, type CoreServices, type Endpoint, splitTarget } from "@tapedeck/http"
import { Clock, Effect, Schedule } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { UploadFolder } from "./UploadFolder.ts"

export interface UploadOptions {
  /** The folder of uploads in progress, of this process only; null for a temporary one. */
  readonly folder: string | null
  /** Maximum time of an upload from its start. */
  readonly expiresAfterMs: number
}

/**
 * Resumable uploads with the tus protocol 1.0: POST creates one, PATCH continues it, HEAD returns its offset, DELETE aborts it.
 * Users who may upload a recording's video in one PUT may create one, and only its creator may continue it. A complete upload
 * becomes the recording's original. Expired uploads are removed as long as the scope lasts.
 */
export const resumableUploads = Effect.fnUntraced(function* ({ expiresAfterMs, folder: place }: UploadOptions) {
  const folder = new UploadFolder(place ?? (yield* passingFolder))
  const { space } = yield* storeOf("space")
  const clock = yield* Clock.Clock
  const sweep = (atStart: boolean) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.promise(() => folder.sweep(now, { atStart }))).pipe(
      Effect.catchCause((cause) => Effect.logWarning("expired uploads could not be removed", cause))
    )
  yield* sweep(true)
  yield* Effect.forkScoped(Effect.schedule(sweep(false), Schedule.spaced("10 minutes")))

  let loaded: Promise<ReturnType<typeof import("./tus.ts")["makeTus"]>> | undefined
  const tus = Effect.promise(() => {
    loaded ??= import("./tus.ts")
      .then(({ makeTus }) =>
        makeTus(folder, { expiresAfterMs, now: () => clock.currentTimeMillisUnsafe(), ranOut: space.ranOut })
      )
      .catch((error) => {
        loaded = undefined // The next request tries again.
        throw error
      })
    return loaded
  })

  const answer = Effect.fnUntraced(function* ({
    caller,
    params: { upload, uuid = "" },
    request
  }: AuthenticatedRequest) {
    const { recording } = yield* (yield* Recordings).get(caller, uuid)
    const web = yield* Effect.orDie(HttpServerRequest.toWeb(request))
    const { maxUploadBytes: maxBytes } = yield* ServiceConfig
    const path = `${(yield* AppOptions).basePath}${splitTarget(request.url).path}`
    const services = yield* Effect.context<CoreServices>()
    const handle = yield* tus
    const asked = { caller, recordingUuid: recording.uuid, uploadId: upload ?? null, maxBytes, path, services, web }
    return yield* Effect.flatMap(
      Effect.promise(() => handle(asked)),
      asOurs
    )
  })

  const operation = operationOf(settings.Api.groups.recordings.endpoints.upload)!

  const endpoint = (path: Endpoint["path"]): Endpoint => ({
    path,
    // Each method that a client may send with another one in `X-HTTP-Method-Override`.
    methods: ["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"],
    operation,
    body: "upload",
    headers: { "tus-resumable": "1.0.0", "cache-control": "no-store" },
    answer
  })
  return [
    endpoint("/api/settings/recordings/:uuid/uploads"),
    endpoint("/api/settings/recordings/:uuid/uploads/:upload")
  ]
})

const passingFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "tapedeck-uploads-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

/** The protocol's response, with errors in the API's shape and the CORS headers of the API. */
const asOurs = (response: Response) =>
  Effect.promise(async () => {
    const headers = Object.fromEntries(
      [...response.headers].filter(([name]) => !name.startsWith("access-control-") && !name.startsWith("content-"))
    )
    const { status } = response
    if (status < 400) return HttpServerResponse.empty({ status, headers })
    const text = JSON.stringify({ error: (await response.text()).trim() })
    return HttpServerResponse.text(text, { status, headers, contentType: "application/json" })
  })
