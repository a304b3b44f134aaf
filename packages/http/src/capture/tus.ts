import { BadRequest, UnsupportedMediaType } from "@tapedeck/contract"
import { type CaptureServices, CaptureSessions, CaptureUploads, NotFound, type ServiceConfig } from "@tapedeck/core"
import type { Capture } from "@tapedeck/domain/capture"
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { AppOptions } from "../AppOptions.ts"
import type { Endpoint, EndpointRequest } from "../routes.ts"
import {
  bytesOf,
  bytesType,
  declaredType,
  expiryHeader,
  hasBytes,
  headAnswer,
  methodOf,
  optionsAnswer,
  refuseMethod,
  tusAnswer,
  tusEndpoint,
  versionRefusal
} from "../tus.ts"
import { captureOf } from "./authorization.ts"
import { videoPath } from "./wire.ts"

type Request = HttpServerRequest.HttpServerRequest

/** The number that a header has; undefined: there is no such header. */
const numberIn = (request: Request, name: string): Effect.Effect<number | undefined, BadRequest> => {
  const text = request.headers[name]
  if (text === undefined) return Effect.undefined
  return /^\d{1,15}$/.test(text)
    ? Effect.succeed(Number(text))
    : Effect.fail(new BadRequest({ message: `${name} must be an integer of at least 0` }))
}

const maxMetadata = 1_024

/** `Upload-Metadata`: names, each with a value in base64. */
const metadataIn = (text: string): ReadonlyMap<string, string> =>
  new Map(
    text.split(",").flatMap((pair) => {
      const [name = "", value = ""] = pair.trim().split(" ")
      return name === "" ? [] : [[name, Buffer.from(value, "base64").toString("utf8")] as const]
    })
  )

const partForm = /^\d{1,6}$/

const newUpload = Effect.fnUntraced(function* (request: Request) {
  const sizeBytes = yield* numberIn(request, "upload-length")
  const deferred = request.headers["upload-defer-length"]
  if (deferred !== undefined && deferred !== "1") {
    return yield* new BadRequest({ message: "upload-defer-length must be 1" })
  }
  if ((sizeBytes === undefined) === (deferred === undefined)) {
    return yield* new BadRequest({ message: "Either upload-length or upload-defer-length must be given" })
  }
  const metadata = request.headers["upload-metadata"] ?? ""
  if (metadata.length > maxMetadata) {
    return yield* new BadRequest({ message: `upload-metadata must be at most ${maxMetadata} characters long` })
  }
  const given = metadataIn(metadata)
  const part = given.get("part")
  if (part !== undefined && !partForm.test(part)) {
    return yield* new BadRequest({ message: "part must be an integer from 0 to 999999" })
  }
  const contentType = declaredType(given.get("filetype") ?? given.get("type"))
  return { part: part === undefined ? null : Number(part), contentType, metadata, sizeBytes: sizeBytes ?? null }
})

const append = Effect.fnUntraced(function* (
  request: Request,
  { captureId, offset, uploadId }: { readonly captureId: string; readonly uploadId: string; readonly offset: number },
  sizeBytes?: number
) {
  const { append } = yield* CaptureUploads
  const bytes = bytesOf(request)
  return yield* append({ captureId, uploadId, offset, bytes, ...(sizeBytes !== undefined && { sizeBytes }) })
})

const create = Effect.fnUntraced(function* (capture: Capture, request: Request) {
  const { createUpload } = yield* CaptureUploads
  const upload = yield* createUpload(capture.id, yield* newUpload(request))
  const location = `${videoPath((yield* AppOptions).basePath, capture.id)}/${upload.id}`
  const offset = hasBytes(request)
    ? yield* append(request, { captureId: capture.id, uploadId: upload.id, offset: 0 })
    : upload.offset
  return tusAnswer(201, {
    location,
    "upload-offset": String(offset),
    ...expiryHeader(capture.expiresAt)
  })
})

const patch = Effect.fnUntraced(function* (capture: Capture, uploadId: string, request: Request) {
  if (!hasBytes(request)) {
    return yield* new UnsupportedMediaType({ message: `Content-Type must be ${bytesType}` })
  }
  const offset = yield* numberIn(request, "upload-offset")
  if (offset === undefined) return yield* new BadRequest({ message: "upload-offset must be given" })
  const declared = yield* numberIn(request, "upload-length")
  const after = yield* append(request, { captureId: capture.id, uploadId, offset }, declared)
  return tusAnswer(204, { "upload-offset": String(after), ...expiryHeader(capture.expiresAt) })
})

const respond = Effect.fnUntraced(function* (input: EndpointRequest) {
  const { params, request } = input
  const method = methodOf(request)
  if (method === "OPTIONS") return yield* optionsAnswer({ checksums: [] })
  const capture = yield* captureOf(input, ["capture"])
  const refusal = versionRefusal(request)
  if (refusal !== undefined) return refusal
  yield* refuseMethod(method, params.upload !== undefined)
  if (params.upload === undefined) return yield* create(capture, request)
  const { removeUpload } = yield* CaptureUploads
  const { touch } = yield* CaptureSessions
  const upload = capture.uploads.find(({ id }) => id === params.upload)
  if (upload === undefined) return yield* new NotFound({ what: "Upload" })
  if (method === "PATCH") return yield* patch(capture, upload.id, request)
  if (method === "DELETE") return tusAnswer(204, yield* Effect.as(removeUpload(capture.id, upload.id), {}))
  yield* touch(capture.id)
  return headAnswer(upload)
})

const endpoint = (path: Endpoint["path"]): Endpoint<CaptureServices | ServiceConfig> => ({
  ...tusEndpoint,
  path,
  operation: null,
  answer: respond
})

/** The tus protocol 1.0 for a capture's video. Bytes are kept as they arrive, also those of an interrupted request. */
export const videoEndpoints: ReadonlyArray<Endpoint<CaptureServices | ServiceConfig>> = [
  endpoint("/api/capture/captures/:id/video"),
  endpoint("/api/capture/captures/:id/video/:upload")
]
