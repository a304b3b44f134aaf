import { Recordings } from "@tapedeck/core"
import { type Recording, readTranscript, webVttOf } from "@tapedeck/domain"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { fileResponse, videoResponse } from "./download.ts"
import { htmlResponse, policyOf } from "./html.ts"
import { drawnStill, missingPage, publicPage } from "./publicPage/page.ts"
import { script } from "./publicPage/script.ts"
import { style } from "./publicPage/style.ts"
import { conflict, notFound } from "./refusals.ts"
import { errorResponse } from "./responses.ts"

/** Where anybody sees a recording whose address they know (W12). */
export const publicPaths: ReadonlyArray<string> = [
  "/r/:uuid",
  "/r/:uuid/video",
  "/r/:uuid/thumbnail",
  "/r/:uuid/captions"
]

const policy = policyOf({ style, script })

const uuid = Effect.map(HttpRouter.params, (params) => params.uuid ?? "")

/** GET /r/{uuid}: its GET is a view, its HEAD is not. */
const page = HttpRouter.add(
  "GET",
  "/r/:uuid",
  Effect.gen(function* () {
    const { method } = yield* HttpServerRequest.HttpServerRequest
    const { publicView } = yield* Recordings
    return yield* Effect.match(publicView(yield* uuid, { count: method === "GET" }), {
      onFailure: () => htmlResponse(missingPage, 404, policy),
      onSuccess: (recording) => htmlResponse(publicPage(recording), 200, policy)
    })
  })
)

const video = HttpRouter.add(
  "GET",
  "/r/:uuid/video",
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const { publicVideo } = yield* Recordings
    return yield* Effect.matchEffect(publicVideo(yield* uuid), {
      onFailure: (refusal) =>
        Effect.succeed(errorResponse("v2", refusal._tag === "NotFound" ? notFound(refusal) : conflict(refusal))),
      onSuccess: (found) => videoResponse(found, request, { "content-disposition": "inline" })
    })
  })
)

/** The still that was made of the video, else one that is drawn. */
const still = HttpRouter.add(
  "GET",
  "/r/:uuid/thumbnail",
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const { publicStill } = yield* Recordings
    return yield* Effect.matchEffect(publicStill(yield* uuid), {
      onFailure: (refusal) => Effect.succeed(errorResponse("v2", notFound(refusal))),
      onSuccess: ({ recording, still }) =>
        still === null
          ? Effect.succeed(drawing(recording))
          : fileResponse(still, request, { ...inert, "content-type": "image/jpeg", "content-disposition": "inline" })
    })
  })
)

/** An image that somebody opens by itself does nothing. */
const inert = { "content-security-policy": "default-src 'none'", "x-content-type-options": "nosniff" }

const drawing = (recording: Recording) =>
  HttpServerResponse.text(drawnStill(recording), { contentType: "image/svg+xml; charset=utf-8", headers: inert })

/** The transcript for the player, as WebVTT. */
const captions = HttpRouter.add(
  "GET",
  "/r/:uuid/captions",
  Effect.gen(function* () {
    const { publicView } = yield* Recordings
    return yield* Effect.match(publicView(yield* uuid, { count: false }), {
      onFailure: (refusal) => errorResponse("v2", notFound(refusal)),
      onSuccess: ({ transcript }) =>
        HttpServerResponse.text(webVttOf(readTranscript(transcript)), {
          contentType: "text/vtt; charset=utf-8",
          headers: { "x-content-type-options": "nosniff" }
        })
    })
  })
)

export const publicPages = Layer.mergeAll(page, video, still, captions)
