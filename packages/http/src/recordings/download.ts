import { PreconditionFailed, RangeNotSatisfiable } from "@tapedeck/contract"
import type { StoredFile, Video } from "@tapedeck/core"
import { servedContentType } from "@tapedeck/domain/internal/files"
import { Effect, type Scope } from "effect"
import { type Headers, HttpServerResponse } from "effect/http"
import { attachment, fileName } from "./contentDisposition.ts"
import { isMatch, isStillThis, isUnmodified, namesTag, requestedPart } from "./range.ts"

/** The headers of a request that select bytes. */
export interface Conditions {
  readonly method: string
  readonly headers: Headers.Headers
}

/** GET /recordings/{uuid}/download (R12). */
export const downloadVideo = <E, R>(readVideo: Effect.Effect<Video, E, R>, request: Conditions) =>
  Effect.flatMap(readVideo, (video) => videoResponse(video, request, { "content-disposition": disposition(video) }))

const disposition = ({ recording, file }: Video): string =>
  attachment(fileName(recording.title, recording.uuid, servedContentType(file)))

/** A video, with one of the four types (R23). */
export const videoResponse = (video: Video, request: Conditions, extra: Readonly<Record<string, string>>) =>
  fileResponse(video, request, { ...extra, "content-type": servedContentType(video.file) })

/** A recording is changed with each of its files, so a file is no newer than its recording. */
type Stored = StoredFile & Pick<Video, "recording">

/** Returns whether `If-Match`, or `If-Unmodified-Since` without it, permits the request to be answered (RFC 9110, 13.2.2). */
const isPermitted = ({ file, recording }: Stored, { headers }: Conditions): boolean => {
  const match = headers["if-match"]
  if (match !== undefined) return isMatch(match, `"${file.etag}"`)
  const since = headers["if-unmodified-since"]
  return since === undefined || isUnmodified(since, recording.updatedAt)
}

/** The requested part of a file; `unchanged` if the caller has it already, `changed` if it is not the one that is wanted. */
const partOf = (stored: Stored, request: Conditions) => {
  const { etag, sizeBytes } = stored.file
  const { headers, method } = request
  const quoted = `"${etag}"`
  if (!isPermitted(stored, request)) return "changed"
  if (namesTag(headers["if-none-match"], quoted)) return "unchanged"
  // Ranges are GET's alone (RFC 9110, 14.2).
  return method === "GET" && isStillThis(headers["if-range"], quoted)
    ? requestedPart(headers.range, sizeBytes)
    : "whole"
}

/** Returns whether the request is a GET that is answered 200, or 206 from byte 0: a download for the audit log (A4). */
export const beginsDownload =
  (request: Conditions) =>
  (video: Video): boolean => {
    const part = partOf(video, request)
    return request.method === "GET" && (part === "whole" || (typeof part === "object" && part.start === 0))
  }

/** The file or the requested part (RFC 9110, 13 and 14). HEAD gets no body and reads none. */
export const fileResponse = (
  stored: Stored,
  request: Conditions,
  { "content-type": contentType, ...extra }: Readonly<Record<string, string>> & { readonly "content-type": string }
): Effect.Effect<HttpServerResponse.HttpServerResponse, PreconditionFailed | RangeNotSatisfiable, Scope.Scope> => {
  const { file, read } = stored
  const { sizeBytes } = file
  const etag = `"${file.etag}"`
  const common = { etag, "accept-ranges": "bytes", ...extra }
  const part = partOf(stored, request)
  if (part === "unchanged") {
    return Effect.succeed(HttpServerResponse.empty({ status: 304, headers: common }))
  }
  if (part === "changed") {
    return Effect.fail(
      new PreconditionFailed({ message: "The file is not the one that the request's conditions name" })
    )
  }
  if (part === "unsatisfiable") {
    return Effect.fail(new RangeNotSatisfiable({ message: "The range starts past the end of the file", sizeBytes }))
  }
  const { start, length } = part === "whole" ? { start: 0, length: sizeBytes } : part
  const options = {
    status: part === "whole" ? 200 : 206,
    contentType,
    contentLength: length,
    headers:
      part === "whole" ? common : { ...common, "content-range": `bytes ${start}-${start + length - 1}/${sizeBytes}` }
  }
  if (request.method === "HEAD") {
    return Effect.succeed(
      HttpServerResponse.empty({
        status: options.status,
        headers: { ...options.headers, "content-type": options.contentType, "content-length": String(length) }
      })
    )
  }
  return Effect.map(read(start, length), (bytes) => HttpServerResponse.stream(bytes, options))
}
