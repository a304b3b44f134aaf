import { Recordings } from "@tapedeck/core"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { videoResponse } from "./download.ts"
import { htmlResponse } from "./html.ts"
import { missingPage, publicPage, thumbnail } from "./publicPage.ts"
import { conflict, notFound } from "./refusals.ts"
import { errorResponse } from "./responses.ts"

/** Where anybody sees a recording whose address they know (W12). */
export const publicPaths: ReadonlyArray<string> = ["/r/:uuid", "/r/:uuid/video", "/r/:uuid/thumbnail"]

const uuid = Effect.map(HttpRouter.params, (params) => params.uuid ?? "")

/** GET /r/{uuid}: its GET is a view, its HEAD is not. */
const page = HttpRouter.add(
  "GET",
  "/r/:uuid",
  Effect.gen(function* () {
    const { method } = yield* HttpServerRequest.HttpServerRequest
    const { publicView } = yield* Recordings
    return yield* Effect.match(publicView(yield* uuid, { count: method === "GET" }), {
      onFailure: () => htmlResponse(missingPage, 404),
      onSuccess: (recording) => htmlResponse(publicPage(recording))
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

const still = HttpRouter.add(
  "GET",
  "/r/:uuid/thumbnail",
  Effect.gen(function* () {
    const { publicView } = yield* Recordings
    return yield* Effect.match(publicView(yield* uuid, { count: false }), {
      onFailure: (refusal) => errorResponse("v2", notFound(refusal)),
      onSuccess: (recording) =>
        HttpServerResponse.text(thumbnail(recording), {
          contentType: "image/svg+xml; charset=utf-8",
          headers: { "content-security-policy": "default-src 'none'", "x-content-type-options": "nosniff" }
        })
    })
  })
)

export const publicPages = Layer.mergeAll(page, video, still)
