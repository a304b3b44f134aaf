import { RangeNotSatisfiable } from "@tapedeck/contract"
import type { StoredFile, Video } from "@tapedeck/core"
import { servedContentType } from "@tapedeck/domain"
import { Effect, type Scope } from "effect"
import { type Headers, HttpServerResponse } from "effect/http"
import { attachment, fileName } from "./contentDisposition.ts"
import { isStillThis, namesTag, requestedPart } from "./range.ts"

/** The headers of a request that select bytes. */
export interface Conditions {
  readonly method: string
  readonly headers: Headers.Headers
}

/** GET /recordings/{uuid}/download (R12). */
export const downloadVideo = <E, R>(found: Effect.Effect<Video, E, R>, request: Conditions) =>
  Effect.flatMap(found, (video) => videoResponse(video, request, { "content-disposition": disposition(video) }))

const disposition = ({ recording, file }: Video): string =>
  attachment(fileName(recording.title, recording.uuid, servedContentType(file)))

/** A video, with one of the four types (R23). */
export const videoResponse = (video: Video, request: Conditions, extra: Readonly<Record<string, string>>) =>
  fileResponse(video, request, { ...extra, "content-type": servedContentType(video.file) })

type FileState = Pick<StoredFile["file"], "etag" | "sizeBytes">

/** The requested part of a file; `unchanged` if the caller has it already. */
const partOf = ({ etag, sizeBytes }: FileState, { headers, method }: Conditions) => {
  const quoted = `"${etag}"`
  if (namesTag(headers["if-none-match"], quoted)) return "unchanged"
  // Ranges are GET's alone (RFC 9110, 14.2).
  return method === "GET" && isStillThis(headers["if-range"], quoted)
    ? requestedPart(headers.range, sizeBytes)
    : "whole"
}

/** Whether the request is a GET that is answered 200, or 206 from byte 0: a download for the audit log (A4). */
export const beginsDownload =
  (request: Conditions) =>
  (file: FileState): boolean => {
    const part = partOf(file, request)
    return request.method === "GET" && (part === "whole" || (typeof part === "object" && part.start === 0))
  }

/** The file or the requested part (RFC 9110, 13 and 14). HEAD gets no body and reads none. */
export const fileResponse = (
  { file, read }: Pick<Video, "file" | "read">,
  request: Conditions,
  { "content-type": contentType, ...extra }: Readonly<Record<string, string>> & { readonly "content-type": string }
): Effect.Effect<HttpServerResponse.HttpServerResponse, RangeNotSatisfiable, Scope.Scope> => {
  const { sizeBytes } = file
  const etag = `"${file.etag}"`
  const common = { etag, "accept-ranges": "bytes", ...extra }
  const part = partOf(file, request)
  if (part === "unchanged") {
    return Effect.succeed(HttpServerResponse.empty({ status: 304, headers: common }))
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
