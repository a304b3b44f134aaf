import { type OpenTranscript, Recordings } from "@tapedeck/core"
import { type Recording, webVttCue, webVttHead } from "@tapedeck/domain"
import { Effect, Layer, Option, Stream } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { fileResponse, videoResponse } from "./download.ts"
import { htmlResponse, policyOf } from "./html.ts"
import { drawnStill, missingPage, publicPage } from "./publicPage/page.ts"
import { script } from "./publicPage/script.ts"
import { style } from "./publicPage/style.ts"
import { conflict, notFound } from "./refusals.ts"
import { errorResponse } from "./responses.ts"
import { segmentPages } from "./segmentPages.ts"

/** Where anybody sees a recording whose address they know (W12). */
export const publicPaths: ReadonlyArray<string> = [
  "/r/:uuid",
  "/r/:uuid/video",
  "/r/:uuid/thumbnail",
  "/r/:uuid/captions"
]

const policy = policyOf({ style, script })

const uuid = Effect.map(HttpRouter.params, (params) => params.uuid ?? "")

/**
 * Caches may keep what is there, and have to ask each time whether it still is: a recording can be deleted, a view counts.
 * A refusal is not kept.
 */
const withCachePolicy = (response: HttpServerResponse.HttpServerResponse) =>
  HttpServerResponse.setHeader(response, "cache-control", response.status < 400 ? "no-cache" : "no-store")

const get = <E, R>(path: `/${string}`, answer: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
  HttpRouter.add("GET", path, Effect.map(answer, withCachePolicy))

/** GET /r/{uuid}: its GET is a view, its HEAD is not. */
const page = get(
  "/r/:uuid",
  Effect.gen(function* () {
    const { method } = yield* HttpServerRequest.HttpServerRequest
    const { publicView } = yield* Recordings
    return yield* Effect.match(publicView(yield* uuid, { count: method === "GET" }), {
      onFailure: () => htmlResponse(missingPage, 404, policy),
      onSuccess: (found) => htmlResponse(publicPage(found), 200, policy)
    })
  })
)

const video = get(
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
const still = get(
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

/** A page of cues at a time: the last cue of a page ends where the next page begins. */
const webVttOf = (transcript: OpenTranscript): Stream.Stream<string> => {
  const cues = Stream.map(Stream.zipWithNext(segmentPages(transcript)), ([{ segments }, next]) =>
    segments
      .map((segment, index) =>
        webVttCue(segment, segments[index + 1] ?? Option.getOrUndefined(next)?.segments[0], transcript.speakerMap)
      )
      .join("")
  )
  return Stream.concat(Stream.make(webVttHead), cues)
}

/** The transcript for the player, as WebVTT. */
const captions = get(
  "/r/:uuid/captions",
  Effect.gen(function* () {
    const { publicView } = yield* Recordings
    return yield* Effect.match(publicView(yield* uuid, { count: false }), {
      onFailure: (refusal) => errorResponse("v2", notFound(refusal)),
      onSuccess: ({ transcript }) =>
        HttpServerResponse.stream(Stream.encodeText(webVttOf(transcript)), {
          contentType: "text/vtt; charset=utf-8",
          headers: { "x-content-type-options": "nosniff" }
        })
    })
  })
)

export const publicPages = Layer.mergeAll(page, video, still, captions)
