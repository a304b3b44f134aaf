import { MethodNotAllowed } from "@tapedeck/contract"
import { InputMalformed, ServiceConfig } from "@tapedeck/core"
import { type Instant, toIso } from "@tapedeck/domain"
import { Effect, Stream } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { mediaType } from "./jsonBody.ts"

/** The tus protocol 1.0, as far as the resumable uploads of members and of captures share it. */

type Request = HttpServerRequest.HttpServerRequest

const version = "1.0.0"

/** Methods of the protocol, each of which a client may send with another one in `X-HTTP-Method-Override`. */
const methods = ["DELETE", "HEAD", "OPTIONS", "PATCH", "POST"]

/** The part of an endpoint that the protocol determines. */
export const tusEndpoint = {
  methods: [...methods, "GET", "PUT"],
  body: "upload",
  headers: { "tus-resumable": version, "cache-control": "no-store" }
} as const

export const tusAnswer = (status: number, headers: Readonly<Record<string, string>> = {}) =>
  HttpServerResponse.empty({ status, headers })

/** An error with a status that the API has nowhere else. */
export const tusError = (status: number, error: string, headers: Readonly<Record<string, string>> = {}) =>
  HttpServerResponse.text(JSON.stringify({ error }), { status, contentType: "application/json", headers })

/** The method of a request. `X-HTTP-Method-Override` replaces it, for clients that can send no PATCH or DELETE. */
export const methodOf = ({ headers, method }: Request): string =>
  headers["x-http-method-override"]?.toUpperCase() ?? method

/** Refuses a method that the place does not have: uploads are created at one, and continued at the other. */
export const refuseMethod = (method: string, isUpload: boolean): Effect.Effect<void, MethodNotAllowed> => {
  const allow = methods.filter((name) => name === "OPTIONS" || (name === "POST") !== isUpload)
  return allow.includes(method)
    ? Effect.void
    : Effect.fail(new MethodNotAllowed({ message: "Method not allowed", allow }))
}

/** The refusal of another version of the protocol, or of none. */
export const versionRefusal = ({ headers }: Request): HttpServerResponse.HttpServerResponse | undefined =>
  headers["tus-resumable"] === version
    ? undefined
    : tusError(412, `Tus-Resumable must be ${version}`, { "tus-version": version })

export const bytesType = "application/offset+octet-stream"

/** Returns whether the body has bytes of the upload. */
export const hasBytes = (request: Request): boolean => mediaType(request) === bytesType

/** The body as it arrives. */
export const bytesOf = (request: Request) =>
  Stream.mapError(request.stream, () => new InputMalformed({ reason: "The body is incomplete" }))

/** The media type in `filetype`, which clients of tus declare; `application/octet-stream` for none. */
export const declaredType = (filetype: string | undefined): string =>
  filetype !== undefined && /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+([ \t]*;[ -~]*)?$/.test(filetype)
    ? filetype
    : "application/octet-stream"

export const expiryHeader = (expiresAt: Instant) => ({ "upload-expires": new Date(toIso(expiresAt)).toUTCString() })

interface Progress {
  readonly offset: number
  readonly sizeBytes: number | null
  readonly metadata: string | null
}

/** The answer to HEAD. */
export const headAnswer = ({ metadata, offset, sizeBytes }: Progress) =>
  tusAnswer(200, {
    "upload-offset": String(offset),
    ...(sizeBytes === null ? { "upload-defer-length": "1" } : { "upload-length": String(sizeBytes) }),
    ...(metadata !== null && metadata !== "" && { "upload-metadata": metadata })
  })

/** The answer to OPTIONS. */
export const optionsAnswer = ({ checksums }: { readonly checksums: ReadonlyArray<string> }) =>
  Effect.map(ServiceConfig, ({ maxUploadBytes }) =>
    tusAnswer(204, {
      "tus-version": version,
      "tus-extension": `creation,creation-with-upload,creation-defer-length,${checksums.length > 0 ? "checksum," : ""}expiration,termination`,
      ...(checksums.length > 0 && { "tus-checksum-algorithm": checksums.join(",") }),
      "tus-max-size": String(maxUploadBytes)
    })
  )
