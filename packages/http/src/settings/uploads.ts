import {
  BadRequest,
  Conflict,
  Gone,
  NotFound,
  operationOf,
  PayloadTooLarge,
  settings,
  UnsupportedMediaType
} from "@tapedeck/contract"
import {
  type Caller,
  type Checksum,
  checksumAlgorithms,
  Recordings,
  type ResumableUploadRefused,
  ResumableUploads
} from "@tapedeck/core"
import type { ResumableUpload } from "@tapedeck/domain/internal/files"
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { AppOptions } from "../AppOptions.ts"
import { declaredBytes } from "../pipeline/requestBody.ts"
import { splitTarget } from "../pipeline/target.ts"
import type { AuthenticatedRequest, Endpoint } from "../routes.ts"
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
  tusError,
  versionRefusal
} from "../tus.ts"

type Request = HttpServerRequest.HttpServerRequest

/** Returns the metadata; undefined if it is malformed: a value in base64 may follow each key, and no key may repeat. */
const metadataIn = (text: string): ReadonlyMap<string, string> | undefined => {
  const metadata = new Map<string, string>()
  for (const pair of text.split(",")) {
    const [, key, value = ""] = /^([!-+\--~]+)(?: ([\d+/A-Za-z]*={0,2}))?$/.exec(pair) ?? []
    if (key === undefined || metadata.has(key) || value.length % 4 !== 0) return undefined
    metadata.set(key, Buffer.from(value, "base64").toString("utf8"))
  }
  return metadata
}

/** Maximum length of `Upload-Metadata`, that of a request's headers. */
const maxMetadata = 16_384

const isNatural = (text: string): boolean =>
  Number.isInteger(Number(text)) && String(Number(text)) === text && Number(text) >= 0

/** The checksum of a body: the name of the algorithm, and the digest in base64. Undefined for none. */
const checksumIn = (text: string): Checksum | undefined => {
  const [, name, digest = ""] = /^(\w+) ([\d+/A-Za-z]+={0,2})$/.exec(text) ?? []
  const algorithm = checksumAlgorithms.find((one) => one === name)
  return algorithm && { algorithm, digest: Buffer.from(digest, "base64") }
}

/** The headers of the protocol, each with its check. */
const checks: Readonly<Record<string, (text: string) => boolean>> = {
  "upload-checksum": (text) => checksumIn(text) !== undefined,
  "upload-defer-length": (text) => text === "1",
  "upload-length": isNatural,
  "upload-metadata": (text) => metadataIn(text) !== undefined,
  "upload-offset": isNatural
}

const refuseHeaders = ({ headers }: Request): Effect.Effect<void, BadRequest> => {
  const invalid = Object.entries(checks).flatMap(([name, isValid]) => {
    const text = headers[name]
    return text === undefined || isValid(text) ? [] : [name]
  })
  return invalid.length === 0 ? Effect.void : Effect.fail(new BadRequest({ message: `Invalid ${invalid.join(" ")}` }))
}

const numberIn = (text: string | undefined): number | null => (text === undefined ? null : Number(text))

/** `Upload-Expires`, while the upload is not complete. */
const expiryOf = ({ expiresAt, isComplete }: ResumableUpload) => (isComplete ? {} : expiryHeader(expiresAt))

const appended = Effect.fnUntraced(function* (caller: Caller, upload: UploadParams, request: Request, offset: number) {
  const { append } = yield* ResumableUploads
  return yield* append(caller, {
    ...upload,
    offset,
    sizeBytes: methodOf(request) === "PATCH" ? numberIn(request.headers["upload-length"]) : null,
    declaredBytes: declaredBytes(request) ?? null,
    checksum: checksumIn(request.headers["upload-checksum"] ?? "") ?? null,
    bytes: bytesOf(request)
  })
})

interface UploadParams {
  readonly recordingUuid: string
  readonly uploadId: string
}

const create = Effect.fnUntraced(function* (caller: Caller, recordingUuid: string, request: Request) {
  const uploads = yield* ResumableUploads
  const { headers } = request
  if (headers["upload-concat"] !== undefined) {
    return tusError(501, "Concatenation extension is not (yet) supported. Disable parallel uploads in the tus client.")
  }
  const sizeBytes = numberIn(headers["upload-length"])
  if ((sizeBytes === null) === (headers["upload-defer-length"] === undefined)) {
    return yield* new BadRequest({ message: "Upload-Length or Upload-Defer-Length header required" })
  }
  const metadata = headers["upload-metadata"] ?? null
  if ((metadata?.length ?? 0) > maxMetadata) {
    return yield* new BadRequest({ message: `Upload-Metadata must be at most ${maxMetadata} characters long` })
  }
  const contentType = declaredType(metadata === null ? undefined : metadataIn(metadata)?.get("filetype"))
  const upload = yield* uploads.create(caller, { recordingUuid, sizeBytes, metadata, contentType })
  const place = { recordingUuid, uploadId: upload.id }
  const location = `${(yield* AppOptions).basePath}${splitTarget(request.url).path}/${upload.id}`
  if (hasBytes(request)) {
    const after = yield* appended(caller, place, request, 0)
    return tusAnswer(201, { location, "upload-offset": String(after.offset), ...expiryOf(after) })
  }
  return tusAnswer(201, { location, ...expiryOf(sizeBytes === 0 ? yield* uploads.get(caller, place) : upload) })
})

const patch = Effect.fnUntraced(function* (caller: Caller, place: UploadParams, request: Request) {
  const offset = numberIn(request.headers["upload-offset"])
  if (offset === null) return yield* new BadRequest({ message: "Upload-Offset header required" })
  const after = yield* appended(caller, place, request, offset)
  return tusAnswer(204, { "upload-offset": String(after.offset), ...expiryOf(after) })
})

const classes = {
  aborted: BadRequest,
  checksummed: PayloadTooLarge,
  expired: Gone,
  length: BadRequest,
  missing: NotFound,
  offset: Conflict,
  size: PayloadTooLarge
}

/** The answer to a request that does not fit to its upload. */
const refusalOf = Effect.fnUntraced(function* ({ message, reason }: ResumableUploadRefused) {
  if (reason === "busy") return tusError(423, message)
  if (reason === "checksum") return tusError(460, message)
  return yield* new classes[reason]({ message })
})

const answer = Effect.fnUntraced(
  function* ({ caller, params: { upload: uploadId, uuid = "" }, request }: AuthenticatedRequest) {
    const { recording } = yield* (yield* Recordings).get(caller, uuid)
    const method = methodOf(request)
    yield* refuseMethod(method, uploadId !== undefined)
    if (method === "OPTIONS") return yield* optionsAnswer({ checksums: checksumAlgorithms })
    const refusal = versionRefusal(request)
    if (refusal !== undefined) return refusal
    if (method === "PATCH" && !hasBytes(request)) {
      return yield* new UnsupportedMediaType({ message: `Content-Type must be ${bytesType}` })
    }
    yield* refuseHeaders(request)
    if (uploadId === undefined) return yield* create(caller, recording.uuid, request)
    const uploads = yield* ResumableUploads
    const place = { recordingUuid: recording.uuid, uploadId }
    if (method === "PATCH") return yield* patch(caller, place, request)
    if (method === "HEAD") return headAnswer(yield* uploads.get(caller, place))
    return tusAnswer(204, yield* Effect.as(uploads.remove(caller, place), {}))
  },
  Effect.catchTag("ResumableUploadRefused", refusalOf)
)

const operation = operationOf(settings.Api.groups.recordings.endpoints.upload)!

const endpoint = (path: Endpoint["path"]): Endpoint => ({ ...tusEndpoint, path, operation, answer })

/** The tus protocol 1.0 for a recording's video, below the permission of an upload in one PUT. */
export const uploads = [
  endpoint("/api/settings/recordings/:uuid/uploads"),
  endpoint("/api/settings/recordings/:uuid/uploads/:upload")
]
