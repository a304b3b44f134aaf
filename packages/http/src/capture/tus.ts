import { BadRequest, MethodNotAllowed, UnsupportedMediaType } from "@tapedeck/contract"
import { Captures, InputMalformed, NotFound, ServiceConfig } from "@tapedeck/core"
import { toIso } from "@tapedeck/domain"
import type { Capture, CaptureUpload } from "@tapedeck/domain/capture"
import { Effect, Stream } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { AppOptions } from "../AppOptions.ts"
import { mediaType } from "../jsonBody.ts"
import type { Endpoint, EndpointRequest } from "../routes.ts"
import { captureOf } from "./authorization.ts"
import { videoPath } from "./wire.ts"

type Request = HttpServerRequest.HttpServerRequest

const version = "1.0.0"
const extensions = "creation,creation-with-upload,creation-defer-length,expiration,termination"

const answer = (status: number, headers: Readonly<Record<string, string>> = {}) =>
  HttpServerResponse.empty({ status, headers })

const wrongVersion = HttpServerResponse.text(JSON.stringify({ error: `Tus-Resumable must be ${version}` }), {
  status: 412,
  contentType: "application/json",
  headers: { "tus-version": version }
})

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

const mediaTypeForm = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+([ \t]*;[ -~]*)?$/
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
  const type = given.get("filetype") ?? given.get("type") ?? ""
  const contentType = mediaTypeForm.test(type) ? type : "application/octet-stream"
  return { part: part === undefined ? null : Number(part), contentType, metadata, sizeBytes: sizeBytes ?? null }
})

const offsetType = "application/offset+octet-stream"

const append = Effect.fnUntraced(function* (
  request: Request,
  { captureId, offset, uploadId }: { readonly captureId: string; readonly uploadId: string; readonly offset: number },
  sizeBytes?: number
) {
  const { append } = yield* Captures
  const bytes = Stream.mapError(request.stream, () => new InputMalformed({ reason: "The body is incomplete" }))
  return yield* append({ captureId, uploadId, offset, bytes, ...(sizeBytes !== undefined && { sizeBytes }) })
})

const create = Effect.fnUntraced(function* (capture: Capture, request: Request) {
  const { createUpload } = yield* Captures
  const upload = yield* createUpload(capture.id, yield* newUpload(request))
  const location = `${videoPath((yield* AppOptions).basePath, capture.id)}/${upload.id}`
  const hasBytes = mediaType(request) === offsetType
  const offset = hasBytes
    ? yield* append(request, { captureId: capture.id, uploadId: upload.id, offset: 0 })
    : upload.offset
  return answer(201, {
    location,
    "upload-offset": String(offset),
    ...expiryOf(capture)
  })
})

const expiryOf = ({ expiresAt }: Capture) => ({ "upload-expires": new Date(toIso(expiresAt)).toUTCString() })

const patch = Effect.fnUntraced(function* (capture: Capture, uploadId: string, request: Request) {
  if (mediaType(request) !== offsetType) {
    return yield* new UnsupportedMediaType({ message: `Content-Type must be ${offsetType}` })
  }
  const offset = yield* numberIn(request, "upload-offset")
  if (offset === undefined) return yield* new BadRequest({ message: "upload-offset must be given" })
  const declared = yield* numberIn(request, "upload-length")
  const after = yield* append(request, { captureId: capture.id, uploadId, offset }, declared)
  return answer(204, { "upload-offset": String(after), ...expiryOf(capture) })
})

const headOf = ({ metadata, offset, sizeBytes }: CaptureUpload) =>
  answer(200, {
    "upload-offset": String(offset),
    ...(sizeBytes === null ? { "upload-defer-length": "1" } : { "upload-length": String(sizeBytes) }),
    ...(metadata !== "" && { "upload-metadata": metadata })
  })

const options = Effect.map(ServiceConfig, ({ maxUploadBytes: maxBytes }) =>
  answer(204, { "tus-version": version, "tus-extension": extensions, "tus-max-size": String(maxBytes) })
)

const methods: ReadonlyArray<string> = ["DELETE", "HEAD", "OPTIONS", "PATCH", "POST"]

const respond = Effect.fnUntraced(function* (input: EndpointRequest) {
  const { params, request } = input
  const method = request.headers["x-http-method-override"]?.toUpperCase() ?? request.method
  if (method === "OPTIONS") return yield* options
  const capture = yield* captureOf(input, ["capture"])
  if (request.headers["tus-resumable"] !== version) return wrongVersion
  const allow = methods.filter((name) => name === "OPTIONS" || (name === "POST") === (params.upload === undefined))
  if (!allow.includes(method)) return yield* new MethodNotAllowed({ message: "Method not allowed", allow })
  if (params.upload === undefined) return yield* create(capture, request)
  const { removeUpload, touch } = yield* Captures
  const upload = capture.uploads.find(({ id }) => id === params.upload)
  if (upload === undefined) return yield* new NotFound({ what: "Upload" })
  if (method === "PATCH") return yield* patch(capture, upload.id, request)
  if (method === "DELETE") return answer(204, yield* Effect.as(removeUpload(capture.id, upload.id), {}))
  yield* touch(capture.id)
  return headOf(upload)
})

const endpoint = (path: Endpoint["path"]): Endpoint<Captures | ServiceConfig> => ({
  path,
  // Each method that a client may send with another one in `X-HTTP-Method-Override`.
  methods: [...methods, "GET", "PUT"],
  operation: null,
  body: "upload",
  headers: { "tus-resumable": version, "cache-control": "no-store" },
  answer: respond
})

/** The tus protocol 1.0 for a capture's video. Bytes are kept as they arrive, also those of an interrupted request. */
export const videoEndpoints: ReadonlyArray<Endpoint<Captures | ServiceConfig>> = [
  endpoint("/api/capture/captures/:id/video"),
  endpoint("/api/capture/captures/:id/video/:upload")
]
