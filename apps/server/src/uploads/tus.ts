import { randomUUID } from "node:crypto"
import {
  type Caller,
  MemberQuota,
  type NotFound,
  quotaOf,
  RecordingSettings,
  StorageFull,
  type Unauthenticated,
  type UploadRefusal,
  UploadTooLarge
} from "@tapedeck/core"
import type { CoreServices } from "@tapedeck/http"
import { Server } from "@tus/server"
import { ERRORS, type Upload } from "@tus/utils"
import { Cause, Context, Effect, Exit, Option } from "effect"
import { type CompleteUpload, finishUpload } from "./finish.ts"
import { isFull, refusalOf, type TusRefusal, TusStore } from "./TusStore.ts"
import type { UploadFolder } from "./UploadFolder.ts"
import { UploadLocks } from "./UploadLocks.ts"

/** A request for an upload by a user who may upload to the recording. */
export interface TusRequest {
  readonly caller: Caller
  readonly recordingUuid: string
  /** Null for a new upload. */
  readonly uploadId: string | null
  readonly maxBytes: number
  readonly services: Context.Context<CoreServices>
  readonly web: Request
}

/** Maximum time that a request waits for the earlier one on the same upload. */
const lockDrainMs = 1_000

const statuses: Readonly<Record<(UploadRefusal | NotFound | Unauthenticated)["_tag"], number>> = {
  Conflicting: 409,
  Malformed: 400,
  NotFound: 404,
  NotAVideo: 422,
  StorageFull: 507,
  Unauthenticated: 401,
  UploadTooLarge: 413
}

export interface TusOptions {
  /** Maximum time of an upload from its start. */
  readonly expiresAfterMs: number
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

const version = "1.0.0"

/** `X-HTTP-Method-Override` is the method, for clients that can send no PATCH or DELETE. */
const overridden = (web: Request): Request => {
  const method = web.headers.get("x-http-method-override")?.toUpperCase() ?? web.method
  if (method === web.method || !/^(?:DELETE|HEAD|OPTIONS|PATCH|POST)$/.test(method)) return web
  const { body, headers, url } = web
  const hasBody = method === "PATCH" || method === "POST"
  return new Request(url, { method, headers, ...(hasBody && { body, duplex: "half" as const }) })
}

const bytesType = "application/offset+octet-stream"

/** What the protocol refuses and `@tus/server` does not, or with another status. */
const refusalBefore = ({ headers, method }: Request, uploadId: string | null): Response | undefined => {
  const refused = (status: number, text: string, more: Readonly<Record<string, string>> = {}) =>
    new Response(method === "HEAD" ? null : text, { status, headers: { "tus-resumable": version, ...more } })
  if (method === "OPTIONS") return undefined
  if ((method === "POST") !== (uploadId === null)) {
    return refused(405, "Method not allowed", {
      allow: uploadId === null ? "OPTIONS, POST" : "DELETE, HEAD, OPTIONS, PATCH"
    })
  }
  if (headers.get("tus-resumable") !== version) {
    return refused(412, `Tus-Resumable must be ${version}`, { "tus-version": version })
  }
  const type = headers.get("content-type")?.split(";")[0]?.trim().toLowerCase()
  if (method === "PATCH" && type !== bytesType) return refused(415, `Content-Type must be ${bytesType}`)
  return undefined
}

/** The tus protocol (1.0) on a folder of uploads. Loaded with the first request that needs it. */
export const makeTus = (folder: UploadFolder, { expiresAfterMs, ranOut }: TusOptions) => {
  const requests = new WeakMap<Request, TusRequest>()
  const failures = new WeakMap<Request, unknown>()
  const finishing = new Map<string, Promise<void>>()
  const store = new TusStore(folder, expiresAfterMs)
  const requestOf = (web: Request) => requests.get(web)!

  /** Runs once at a time: concurrent calls share the result. It continues if the client disconnects. */
  const finishIfComplete = (request: TusRequest, id: string): Promise<void> => {
    const present = finishing.get(id)
    if (present !== undefined) return present
    const finished = finishOnce(request, id)
      .catch((error: unknown) => {
        throw isFull(error) ? new StorageFull({ path: folder.bytesOf(id) }) : error
      })
      .finally(() => finishing.delete(id))
    finishing.set(id, finished)
    return finished
  }

  /** Reads the upload's state after its turn came: an earlier call may have finished it. */
  const finishOnce = async ({ caller, services }: TusRequest, id: string): Promise<void> => {
    const info = await folder.info(id)
    if (info === undefined || info.finished || info.sizeBytes === null) return
    if ((await folder.offset(info)) !== info.sizeBytes) return
    await refusing(services, finishUpload(folder, caller, info as CompleteUpload))
  }

  const server = new Server({
    path: "/api/settings/recordings",
    datastore: store,
    locker: new UploadLocks(),
    lockDrainTimeout: lockDrainMs,
    maxSize: (web) => requestOf(web).maxBytes,
    namingFunction: () => randomUUID(),
    getFileIdFromRequest: (web) => requestOf(web).uploadId ?? undefined,
    generateUrl: (web, { id }) => `${new URL(web.url).pathname}/${id}`,
    onUploadCreate: async (web, { id, size }: Upload) => {
      const { caller, recordingUuid, services } = requestOf(web)
      const { admitUpload } = Context.get(services, RecordingSettings)
      await refusing(services, admitUpload(caller, recordingUuid, size ?? 0))
      const { uploads: maxUploads } = quotaOf(caller, Context.get(services, MemberQuota))
      store.expect(id, { recordingUuid, userId: caller.user.id, maxUploads })
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
        const line = Effect.logError(`no space left for ${error.path}`)
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

  /** Whether the upload exists and belongs to the caller. */
  const isOwn = async ({ caller, recordingUuid, uploadId }: TusRequest): Promise<boolean> => {
    if (uploadId === null) return true
    const info = await folder.info(uploadId)
    return info !== undefined && info.userId === caller.user.id && info.recordingUuid === recordingUuid
  }

  /** Responds as the protocol requires. Rejects with defects. */
  return async (given: TusRequest): Promise<Response> => {
    const request = { ...given, web: overridden(given.web) }
    const { uploadId, web } = request
    const refusal = refusalBefore(web, uploadId)
    if (refusal !== undefined) return refusal
    if (!(await isOwn(request))) return new Response(ERRORS.FILE_NOT_FOUND.body, { status: 404 })
    requests.set(web, request)
    const response = await server.handleWeb(web)
    if (failures.has(web)) throw failures.get(web)
    return response
  }
}
