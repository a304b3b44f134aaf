import { type OpenTranscript, Recordings } from "@tapedeck/core"
import { type Recording, webVttCue, webVttHead } from "@tapedeck/domain"
import { Effect, Option, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import { fileResponse, videoResponse } from "./download.ts"
import { htmlResponse, policyOf } from "./html.ts"
import { drawnStill, missingPage, publicPage } from "./publicPage/page.ts"
import { script } from "./publicPage/script.ts"
import { style } from "./publicPage/style.ts"
import { apiErrorOf } from "./refusals.ts"
import { errorResponse } from "./responses.ts"
import type { Answer, Endpoint, EndpointRequest } from "./routes.ts"
import { segmentPages } from "./segmentPages.ts"

const policy = policyOf({ style, script })

/**
 * Caches may keep what is there, and have to ask each time whether it still is: a recording can be deleted, a view counts.
 * A refusal is not kept.
 */
const withCachePolicy = (response: HttpServerResponse.HttpServerResponse) =>
  HttpServerResponse.setHeader(response, "cache-control", response.status < 400 ? "no-cache" : "no-store")

const get = (
  path: Endpoint["path"],
  answer: (input: EndpointRequest & { readonly uuid: string }) => Answer
): Endpoint => ({
  methods: ["GET"],
  path,
  operation: null,
  rules: { 404: "W12", 409: "R12" },
  answer: (input) =>
    answer({ ...input, uuid: input.params.uuid ?? "" }).pipe(
      Effect.catch((refusal) => Effect.succeed(errorResponse("v2", apiErrorOf(refusal)))),
      Effect.map(withCachePolicy)
    )
})

/** GET /r/{uuid}: its GET is a view, its HEAD is not. */
const page = get(
  "/r/:uuid",
  Effect.fnUntraced(function* ({ request, uuid }) {
    const { publicView } = yield* Recordings
    return yield* Effect.match(publicView(uuid, { count: request.method === "GET" }), {
      onFailure: () => htmlResponse(missingPage, 404, policy),
      onSuccess: (found) => htmlResponse(publicPage(found), 200, policy)
    })
  })
)

const video = get(
  "/r/:uuid/video",
  Effect.fnUntraced(function* ({ request, uuid }) {
    const { publicVideo } = yield* Recordings
    return yield* videoResponse(yield* publicVideo(uuid), request, { "content-disposition": "inline" })
  })
)

/** The still that was made of the video, else one that is drawn. */
const still = get(
  "/r/:uuid/thumbnail",
  Effect.fnUntraced(function* ({ request, uuid }) {
    const { publicStill } = yield* Recordings
    const { recording, still } = yield* publicStill(uuid)
    if (still === null) return drawing(recording)
    return yield* fileResponse(still, request, {
      ...inert,
      "content-type": "image/jpeg",
      "content-disposition": "inline"
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
  Effect.fnUntraced(function* ({ uuid }) {
    const { publicView } = yield* Recordings
    const { transcript } = yield* publicView(uuid, { count: false })
    return HttpServerResponse.stream(Stream.encodeText(webVttOf(transcript)), {
      contentType: "text/vtt; charset=utf-8",
      headers: { "x-content-type-options": "nosniff" }
    })
  })
)

/** Where anybody sees a recording whose address they know (W12). */
export const publicPages = [page, video, still, captions]
