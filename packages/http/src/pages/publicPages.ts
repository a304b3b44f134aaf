import {
  type AccessRequest,
  type Caller,
  NotFound,
  type OpenTranscript,
  RecordingContent,
  ServiceConfig
} from "@tapedeck/core"
import type { Recording } from "@tapedeck/domain"
import { webVttCue, webVttHead } from "@tapedeck/domain/transcript"
import { type Context, Effect, Option, Stream } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { hasCredentials, identifyAgain } from "../pipeline/authenticate.ts"
import { apiErrorOf } from "../pipeline/refusals.ts"
import { partInTurn } from "../pipeline/unsentAnswers.ts"
import { fileResponse, videoResponse } from "../recordings/download.ts"
import { logResponse } from "../recordings/logResponse.ts"
import { errorResponse } from "../responses.ts"
import type { Answer, Endpoint, EndpointRequest, PublicServices, Services } from "../routes.ts"
import { htmlResponse, policyOf } from "./html.ts"
import { oEmbed, previewTags } from "./linkPreview.ts"
import { isPreview } from "./preview.ts"
import { maxShownEvents } from "./publicPage/log.ts"
import { drawnStill, embedPage, missingPage, publicPage } from "./publicPage/page.ts"
import { scriptHash } from "./publicPage/script.ts"
import { styleHash } from "./publicPage/style.ts"
import { segmentPages } from "./segmentPages.ts"
import { openedLink, passwordPage, unlockLink } from "./shareLinkPages.ts"

const inlineParts = { styleHash, scriptHash }
const policy = policyOf(inlineParts)

/**
 * Caches may store pages, and must revalidate them each time: a recording can be deleted, and views are counted. Refusals are not
 * stored.
 */
const withCachePolicy = (response: HttpServerResponse.HttpServerResponse) =>
  HttpServerResponse.setHeader(response, "cache-control", response.status < 400 ? "no-cache" : "no-store")

/** A request for a recording's page or one of its files, by the recording's address or by a share link. */
interface Opened extends EndpointRequest {
  readonly uuid: string
  readonly accessRequest: AccessRequest
}

type PublicAnswer = Answer<PublicServices>

/** Returns the caller who is signed in, by a session's cookie, or by a token whose account permits it; else null. */
const callerOf = (
  request: HttpServerRequest.HttpServerRequest
): Effect.Effect<Caller | null, never, Services<PublicServices>> => {
  return Effect.contextWith((context: Context.Context<Services<PublicServices>>) =>
    hasCredentials(request, context)
      ? Effect.match(identifyAgain(request, context), {
          onFailure: () => null,
          onSuccess: (caller) => (caller.kind === "session" || caller.account.apiAccess ? caller : null)
        })
      : Effect.succeed(null)
  )
}

interface Otherwise {
  /** A share link whose password is needed first. */
  readonly locked: PublicAnswer
  readonly missing: PublicAnswer
}

const notFound = Effect.fail(new NotFound({ what: "Recording" }))

/** The same at the recording's address and at each share link to it. */
const both = (
  name: "" | "/video" | "/thumbnail" | "/captions" | "/log",
  answer: (input: Opened) => PublicAnswer,
  { locked, missing }: Otherwise = { locked: notFound, missing: notFound }
): ReadonlyArray<Endpoint<PublicServices>> => {
  const part = name === "" ? "page" : "files"
  const endpoint = (
    path: Endpoint["path"],
    opened: (input: EndpointRequest) => PublicAnswer
  ): Endpoint<PublicServices> => ({
    methods: ["GET"],
    path,
    operation: null,
    rules: { 404: "W12", 409: "R12" },
    answer: (input) =>
      Effect.catchTag(opened(input), "NotFound", () => missing).pipe(
        Effect.catch((refusal) => Effect.succeed(errorResponse("v2", apiErrorOf(refusal)))),
        Effect.map(withCachePolicy)
      )
  })
  return [
    endpoint(`/r/:uuid${name}`, (input) =>
      Effect.flatMap(callerOf(input.request), (caller) => {
        const { access } = input.search
        const accessRequest: AccessRequest = { part, caller, access: typeof access === "string" ? access : undefined }
        return answer({ ...input, uuid: input.params.uuid ?? "", accessRequest })
      })
    ),
    endpoint(`/s/:token${name}`, (input) =>
      Effect.flatMap(openedLink(input), ({ isLocked, recordingUuid: uuid }) =>
        isLocked ? locked : answer({ ...input, uuid, accessRequest: { part, caller: null, linked: uuid } })
      )
    )
  ]
}

const missing = Effect.sync(() => htmlResponse(missingPage, 404, policy))

const isView = (request: HttpServerRequest.HttpServerRequest): boolean =>
  request.method === "GET" && !isPreview(request)

/** GET /r/{uuid}: its GET is a view, but for previews; its HEAD is not. */
const page = both(
  "",
  Effect.fnUntraced(function* ({ params, request, uuid, accessRequest }) {
    const { publicLogStart, publicView } = yield* RecordingContent
    const found = yield* partInTurn(publicView(uuid, { ...accessRequest, count: isView(request) }))
    const log = yield* Effect.catchTag(
      partInTurn(publicLogStart(uuid, accessRequest, maxShownEvents)),
      "NotFound",
      () => Effect.succeed(null)
    )
    // A share link is a secret: a service that shows a preview of it would keep it.
    const tags = found.hasLinkPreview && params.token === undefined ? previewTags(found, yield* ServiceConfig) : ""
    return htmlResponse(publicPage(found, log, { name: params.token ?? uuid, tags }), 200, policy)
  }),
  {
    locked: Effect.sync(passwordPage),
    missing
  }
)

/**
 * GET /r/{uuid}/embed: the page for frames of the account's `embed_origins`. It knows no session, because browsers send no cookies in
 * frames of other sites: a recording that is not public is not found. Its GET is a view, as the page's is.
 */
const embed: Endpoint<PublicServices> = {
  methods: ["GET"],
  path: "/r/:uuid/embed",
  operation: null,
  rules: { 404: "T6" },
  answer: ({ params, request }) =>
    Effect.gen(function* () {
      const { publicView } = yield* RecordingContent
      const accessRequest = { part: "page", caller: null, count: isView(request) } as const
      const found = yield* partInTurn(publicView(params.uuid ?? "", accessRequest))
      return htmlResponse(embedPage(found), 200, policyOf(inlineParts, found.embedOrigins))
    }).pipe(
      Effect.catchTag("NotFound", () => missing),
      Effect.map(withCachePolicy)
    )
}

const video = both(
  "/video",
  Effect.fnUntraced(function* ({ request, uuid, accessRequest }) {
    const { publicVideo } = yield* RecordingContent
    return yield* videoResponse(yield* publicVideo(uuid, accessRequest), request, { "content-disposition": "inline" })
  })
)

/** The still that was made of the video, else one that is drawn. */
const still = both(
  "/thumbnail",
  Effect.fnUntraced(function* ({ request, uuid, accessRequest }) {
    const { publicStill } = yield* RecordingContent
    const { recording, still } = yield* publicStill(uuid, accessRequest)
    if (still === null) return drawing(recording)
    return yield* fileResponse({ recording, ...still }, request, {
      ...inert,
      "content-type": "image/jpeg",
      "content-disposition": "inline"
    })
  })
)

/** An image that is opened by itself can do nothing. */
const inert = { "content-security-policy": "default-src 'none'", "x-content-type-options": "nosniff" }

const drawing = (recording: Recording) =>
  HttpServerResponse.text(drawnStill(recording), { contentType: "image/svg+xml; charset=utf-8", headers: inert })

/** A page of cues at a time: the last cue of a page ends where the next page begins. */
const webVttOf = (transcript: OpenTranscript): Stream.Stream<string> => {
  const cues = Stream.map(Stream.zipWithNext(segmentPages(transcript)), ([{ segments }, next]) =>
    segments
      .map((segment, index) =>
        webVttCue(
          segment,
          segments[index + 1] ?? Option.getOrUndefined(next)?.segments[0] ?? null,
          transcript.speakerMap
        )
      )
      .join("")
  )
  return Stream.concat(Stream.make(webVttHead), cues)
}

/** The transcript for the player, as WebVTT. */
const captions = both(
  "/captions",
  Effect.fnUntraced(function* ({ uuid, accessRequest }) {
    const { publicView } = yield* RecordingContent
    const { transcript } = yield* partInTurn(publicView(uuid, { ...accessRequest, count: false }))
    return HttpServerResponse.stream(Stream.encodeText(webVttOf(transcript)), {
      contentType: "text/vtt; charset=utf-8",
      headers: { "x-content-type-options": "nosniff" }
    })
  })
)

/** The log as JSON Lines, where the recording's sharing includes it. */
const log = both(
  "/log",
  Effect.fnUntraced(function* ({ uuid, accessRequest }) {
    const { publicLog } = yield* RecordingContent
    return logResponse(yield* partInTurn(publicLog(uuid, accessRequest)), {
      contentType: "application/x-ndjson",
      headers: { ...inert, "content-disposition": `attachment; filename="${uuid}.ndjson"` }
    })
  })
)

/** The public page of a recording, for everyone whom its sharing admits (W12). */
export const publicPages = [...page, embed, ...video, ...still, ...captions, ...log, unlockLink, oEmbed]
