import { randomUUID } from "node:crypto"
import {
  type Caller,
  type NotFound,
  quotaOf,
  ServiceConfig,
  StorageFull,
  type Unauthenticated,
  type UploadRefusal,
  UploadTooLarge,
  VideoUploads
} from "@tapedeck/core"
import type { CoreServices } from "@tapedeck/http"
import { Server } from "@tus/server"
import { ERRORS, TUS_RESUMABLE, type Upload } from "@tus/utils"
import { Cause, Context, Effect, Exit, Option } from "effect"
import { type CompleteUpload, finishUpload } from "./finish.ts"
import { isFull, refusalOf, type TusRefusal, TusStore, type TusStoreOptions } from "./TusStore.ts"
import type { UploadFolder, UploadInfo } from "./UploadFolder.ts"
import { UploadLocks } from "./UploadLocks.ts"

/** A request for an upload by a user who may upload to the recording. */
export interface TusRequest {
  readonly caller: Caller
  readonly recordingUuid: string
  /** Null for a new upload. */
  readonly uploadId: string | null
  readonly maxBytes: number
  /** The request's path as its client has it. */
  readonly path: string
  readonly services: Context.Context<CoreServices>
  readonly web: Request
}

/** Maximum time that a request waits for the earlier one on the same upload. */
const lockDrainMs = 1_000

const statuses: Readonly<Record<(UploadRefusal | NotFound | Unauthenticated)["_tag"], number>> = {
  StateConflict: 409,
  InputMalformed: 400,
  NotFound: 404,
  NotAVideo: 422,
  StorageFull: 507,
  Unauthenticated: 401,
  UploadTooLarge: 413
}

export interface TusOptions extends TusStoreOptions {
  /** Called when the folder's disk is full. */
  readonly ranOut: Effect.Effect<void>
}

type Services = Context.Context<CoreServices>

/** Runs an effect, and throws its refusal as an error of the protocol. */
const refusing = async (
  services: Services,
  work: Effect.Effect<void, UploadRefusal | NotFound | Unauthenticated, CoreServices>
) => {
  const exit = await Effect.runPromiseExitWith(services)(work)
  if (Exit.isSuccess(exit)) return
  const refusal = Option.getOrUndefined(Cause.findErrorOption(exit.cause))
  throw refusal === undefined ? Cause.squash(exit.cause) : refusalOf(statuses[refusal._tag], refusal)
}

const bytesType = "application/offset+octet-stream"

/** `X-HTTP-Method-Override` is the method, for clients that can send no PATCH or DELETE. */
const methodOf = ({ headers, method }: Request): string =>
  headers.get("x-http-method-override")?.toUpperCase() ?? method

/** Returns the request as `@tus/server` reads it: it knows one spelling of the content type, and refuses lists that proxies extend. */
const asRead = (web: Request, method: string): Request => {
  const { body, url } = web
  const headers = new Headers(web.headers)
  headers.delete("x-forwarded-proto")
  const type = headers.get("content-type")?.split(";")[0]?.trim().toLowerCase()
  if (type === bytesType) headers.set("content-type", bytesType)
  const hasBody = method === "PATCH" || method === "POST"
  return new Request(url, { method, headers, ...(hasBody && { body, duplex: "half" as const }) })
}

const methodsOf = (uploadId: string | null): ReadonlyArray<string> =>
  uploadId === null ? ["OPTIONS", "POST"] : ["DELETE", "HEAD", "OPTIONS", "PATCH"]

const refused = (status: number, text: string, headers: Readonly<Record<string, string>> = {}) =>
  new Response(text, { status, headers })

/** Returns the refusal of a request that `@tus/server` would accept or refuse with another status, against the protocol. */
const refusalBefore = ({ headers, method }: Request): Response | undefined => {
  if (method === "OPTIONS") return undefined
  if (headers.get("tus-resumable") !== TUS_RESUMABLE) {
    return refused(412, `Tus-Resumable must be ${TUS_RESUMABLE}`, { "tus-version": TUS_RESUMABLE })
  }
  const type = headers.get("content-type")
  if (method === "PATCH" && type !== bytesType) return refused(415, `Content-Type must be ${bytesType}`)
  return undefined
}

/** The tus protocol (1.0) on a folder of uploads. Loaded with the first request that needs it. */
export const makeTus = (folder: UploadFolder, { ranOut, ...options }: TusOptions) => {
  const requests = new WeakMap<Request, TusRequest>()
  const failures = new WeakMap<Request, unknown>()
  const locker = new UploadLocks()
  const store = new TusStore(folder, options)
  const requestOf = (web: Request) => requests.get(web)!

  /** Other requests on the upload wait, DELETE too: they see it before or after. It continues if the client disconnects. */
  const finishIfComplete = async (request: TusRequest, id: string): Promise<void> => {
    const lock = locker.newLock(id)
    await lock.lock(new AbortController().signal, () => {})
    try {
      await finish(request, id)
    } catch (error) {
      throw isFull(error) ? new StorageFull({ path: folder.bytesOf(id) }) : error
    } finally {
      await lock.unlock()
    }
  }

  /** An earlier call may have finished or removed the upload. */
  const finish = async ({ caller, services }: TusRequest, id: string): Promise<void> => {
    const info = await folder.info(id)
    if (info === undefined || info.finished || info.sizeBytes === null) return
    if ((await folder.offset(info)) !== info.sizeBytes) return
    await refusing(services, finishUpload(folder, caller, info as CompleteUpload))
  }

  const server = new Server({
    path: "/api/settings/recordings",
    datastore: store,
    locker,
    lockDrainTimeout: lockDrainMs,
    maxSize: (web) => requestOf(web).maxBytes,
    namingFunction: () => randomUUID(),
    getFileIdFromRequest: (web) => requestOf(web).uploadId ?? undefined,
    generateUrl: (web, { id }) => `${requestOf(web).path}/${id}`,
    onUploadCreate: async (web, { id, size }: Upload) => {
      const { caller, recordingUuid, services } = requestOf(web)
      const { admit } = Context.get(services, VideoUploads)
      await refusing(services, admit(caller, recordingUuid, size ?? 0))
      const { uploads: maxUploads } = quotaOf(caller, Context.get(services, ServiceConfig).memberQuota)
      const metadata = web.headers.get("upload-metadata")
      store.expect(id, { metadata, recordingUuid, userId: caller.user.id, maxUploads })
      return {}
    },
    // A crash may have happened between the last byte and the completion.
    onIncomingRequest: async (web, id) => {
      if (web.method === "HEAD") await finishIfComplete(requestOf(web), id)
    },
    onUploadFinish: async (web, { id }) => {
      await finishIfComplete(requestOf(web), id)
      return {}
    },
    onResponseError: async (web, error): Promise<TusRefusal> => {
      const { maxBytes, services } = requestOf(web)
      if (error === ERRORS.ERR_MAX_SIZE_EXCEEDED) return refusalOf(413, new UploadTooLarge({ limitBytes: maxBytes }))
      if (error instanceof StorageFull) {
        const line = Effect.logError("no space left", { path: error.path })
        await Effect.runPromiseWith(services)(Effect.andThen(ranOut, line))
        return refusalOf(507, error)
      }
      // The statuses of the API, where the protocol names none.
      if (error === ERRORS.MISSING_OFFSET) return { status_code: 400, body: error.body }
      if ("status_code" in error) return { status_code: error.status_code, body: error.body }
      failures.set(web, error)
      return { status_code: 500, body: "Internal server error" }
    }
  })

  /** The upload, if it belongs to the caller. */
  const ownUpload = async ({ caller, recordingUuid }: TusRequest, id: string): Promise<UploadInfo | undefined> => {
    const info = await folder.info(id)
    return info?.userId === caller.user.id && info.recordingUuid === recordingUuid ? info : undefined
  }

  /** `Upload-Expires` of the response to POST and PATCH, while the upload is not complete. */
  const withExpiry = async (response: Response, uploadId: string | undefined): Promise<Response> => {
    const info = uploadId === undefined ? undefined : await folder.info(uploadId)
    if (info === undefined || info.finished) return response
    response.headers.set("upload-expires", new Date(info.expiresAt).toUTCString())
    return response
  }

  /** Responds as the protocol requires. Rejects with defects. */
  return async (given: TusRequest): Promise<Response> => {
    const { uploadId } = given
    const method = methodOf(given.web)
    const allowed = methodsOf(uploadId)
    if (!allowed.includes(method)) return refused(405, "Method not allowed", { allow: allowed.join(", ") })
    const web = asRead(given.web, method)
    const refusal = refusalBefore(web)
    if (refusal !== undefined) return refusal
    const info = uploadId === null ? undefined : await ownUpload(given, uploadId)
    if (uploadId !== null && info === undefined) return refused(404, ERRORS.FILE_NOT_FOUND.body)
    requests.set(web, { ...given, web })
    const response = await server.handleWeb(web)
    if (failures.has(web)) throw failures.get(web)
    // The metadata as the client sent it. Its values need not be text, and `@tus/server` can only return text.
    if (method === "HEAD" && response.ok && info?.metadata != null) {
      response.headers.set("upload-metadata", info.metadata)
    }
    if (!response.ok || (method !== "POST" && method !== "PATCH")) return response
    return withExpiry(response, uploadId ?? response.headers.get("location")?.split("/").at(-1))
  }
}
