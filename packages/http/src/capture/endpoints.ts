import { BadRequest, capture as contract, PayloadTooLarge, UnsupportedMediaType } from "@tapedeck/contract"
import {
  type BegunCapture,
  type CaptureServices,
  CaptureSessions,
  CaptureStarts,
  CaptureUploads,
  type ServiceConfig
} from "@tapedeck/core"
import { toIso } from "@tapedeck/domain"
import { Effect } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { AppOptions } from "../AppOptions.ts"
import { contractBody } from "../contractEndpoints.ts"
import { mediaType, objectBody, textBody } from "../jsonBody.ts"
import { keyIn, maxKeyLength, replayedHeader } from "../pipeline/idempotencyKey.ts"
import { type BodyLimit, signInLimit } from "../pipeline/requestBody.ts"
import { secretJson } from "../responses.ts"
import type { Endpoint, PublicEndpoint } from "../routes.ts"
import { captureOf } from "./authorization.ts"
import { videoEndpoints } from "./tus.ts"
import { logsPath, wireBegun, wireFinished, wireInvitation, wireOpenSite } from "./wire.ts"

const batchLimit: BodyLimit = {
  maxBytes: 4 * 1024 * 1024,
  tooLarge: new PayloadTooLarge({ message: "A batch of log lines is larger than 4 MiB" })
}

/** A note has up to 10,000 characters. */
const finishLimit: BodyLimit = {
  maxBytes: 128 * 1024,
  tooLarge: new PayloadTooLarge({ message: "The body is larger than 128 KiB" })
}

/** Each page of a site reads what is known of the site. */
const siteCache = "public, max-age=300"

const streamForm = /^[\w.-]{1,64}$/

/** The origin of a page of another host: the recorder's own page is on this one. */
const foreignOrigin = ({ host, origin }: Readonly<Record<string, string | undefined>>): string | null =>
  origin === undefined || (URL.canParse(origin) && new URL(origin).host === host) ? null : origin

/** 128 bits in base64url: a caller who knows the link and the key of a request gets its capture. */
const minKeyLength = 22

const beginKeyIn = ({ headers }: HttpServerRequest.HttpServerRequest) => {
  const header = headers["idempotency-key"]
  if (header === undefined) return Effect.succeed(null)
  const key = keyIn(header)
  if (key !== undefined && key.length >= minKeyLength) return Effect.succeed(key)
  const form = `${minKeyLength} to ${maxKeyLength} visible ASCII characters`
  return Effect.fail(
    new BadRequest({ message: `Idempotency-Key must have ${form}, with or without double quotes around them` })
  )
}

const begunResponse = Effect.fnUntraced(function* (begun: BegunCapture) {
  const response = secretJson(wireBegun(begun, (yield* AppOptions).basePath), 201)
  return begun.isRepeated ? HttpServerResponse.setHeader(response, replayedHeader, "true") : response
})

const endpoint = (
  method: string,
  path: PublicEndpoint["path"],
  answer: PublicEndpoint<CaptureServices | ServiceConfig>["answer"],
  more: Partial<PublicEndpoint<CaptureServices | ServiceConfig>> = {}
): Endpoint<CaptureServices | ServiceConfig> => ({
  methods: [method],
  path: `/api/capture${path}`,
  operation: null,
  body: signInLimit,
  answer,
  ...more
})

const { captures, invitations } = contract.Api.groups

const inputs = {
  byLink: contractBody(invitations.endpoints.byLink),
  bySite: contractBody(invitations.endpoints.bySite),
  finish: contractBody(captures.endpoints.finish)
}

/** The capture API: a capture token opens one capture, and nothing else. */
export const captureEndpoints: ReadonlyArray<Endpoint<CaptureServices | ServiceConfig>> = [
  endpoint(
    "GET",
    "/links/:token",
    Effect.fnUntraced(function* ({ params }) {
      const { invitation } = yield* CaptureStarts
      return secretJson(wireInvitation(yield* invitation(params.token ?? "")))
    })
  ),
  endpoint(
    "POST",
    "/links/:token/captures",
    Effect.fnUntraced(function* ({ params, request }) {
      const { beginByLink } = yield* CaptureStarts
      const key = yield* beginKeyIn(request)
      yield* inputs.byLink(request)
      return yield* begunResponse(yield* beginByLink(params.token ?? "", key))
    })
  ),
  endpoint(
    "GET",
    "/sites/:key",
    Effect.fnUntraced(function* ({ params }) {
      const { openSite } = yield* CaptureStarts
      const answer = secretJson(wireOpenSite(yield* openSite(params.key ?? "")))
      return HttpServerResponse.setHeader(answer, "cache-control", siteCache)
    })
  ),
  endpoint(
    "POST",
    "/sites/:key/captures",
    Effect.fnUntraced(function* ({ params, request }) {
      const { beginBySite } = yield* CaptureStarts
      const key = yield* beginKeyIn(request)
      const input = yield* inputs.bySite(request)
      const origin = foreignOrigin(request.headers)
      return yield* begunResponse(yield* beginBySite(params.key ?? "", input, origin, key))
    })
  ),
  endpoint(
    "POST",
    "/captures/:id/logs",
    Effect.fnUntraced(function* (input) {
      const capture = yield* captureOf(input, ["capture", "log"])
      const { appendLog } = yield* CaptureUploads
      const type = mediaType(input.request)
      if (type !== "application/x-ndjson") {
        return yield* new UnsupportedMediaType({ message: "Content-Type must be application/x-ndjson" })
      }
      const stream = input.search.stream ?? "main"
      if (typeof stream !== "string" || !streamForm.test(stream)) {
        return yield* new BadRequest({ message: "stream must have 1 to 64 letters, digits, ., - and _" })
      }
      yield* appendLog(capture.id, stream, yield* textBody)
      return HttpServerResponse.empty({ status: 204 })
    }),
    { body: batchLimit, parameters: ["stream"] }
  ),
  endpoint(
    "POST",
    "/captures/:id/pairing",
    Effect.fnUntraced(function* (input) {
      const capture = yield* captureOf(input, ["capture", "log"])
      const { pair } = yield* CaptureSessions
      const { code, expiresAt } = yield* pair(capture.id)
      const pairing: typeof contract.Pairing.Type = { code, expires_at: toIso(expiresAt) }
      return secretJson(pairing, 201)
    })
  ),
  endpoint(
    "POST",
    "/pairings",
    Effect.fnUntraced(function* ({ request }) {
      const { redeem } = yield* CaptureSessions
      const { code, ...others } = yield* objectBody(request)
      const [unknown] = Object.keys(others)
      if (unknown !== undefined) return yield* new BadRequest({ message: `${unknown}: unknown key` })
      if (typeof code !== "string") return yield* new BadRequest({ message: "code must be a string" })
      const { capture, token } = yield* redeem(code)
      const paired: typeof contract.PairedLog.Type = {
        capture_id: capture.id,
        log_token: token,
        logs_url: logsPath((yield* AppOptions).basePath, capture.id),
        started_at: toIso(capture.beganAt)
      }
      return secretJson(paired, 201)
    })
  ),
  endpoint(
    "POST",
    "/captures/:id/finish",
    Effect.fnUntraced(function* (input) {
      const capture = yield* captureOf(input, ["capture"], true)
      const { finish } = yield* CaptureSessions
      return secretJson(wireFinished(yield* finish(capture.id, yield* inputs.finish(input.request))))
    }),
    { body: finishLimit }
  ),
  endpoint(
    "DELETE",
    "/captures/:id",
    Effect.fnUntraced(function* (input) {
      const capture = yield* captureOf(input, ["capture"])
      const { discard } = yield* CaptureSessions
      yield* discard(capture.id)
      return HttpServerResponse.empty({ status: 204 })
    })
  ),
  ...videoEndpoints
]
