import type { Sent } from "./Answer.ts"
import type { Attempt } from "./Attempt.ts"
import { TapedeckError } from "./errors.ts"
import type { RequestOptions } from "./options.ts"
import type { Read, Transport } from "./Transport.ts"

/** A file, or a part of one, that is being received. Read `body` to its end, or cancel it. */
export interface Download {
  /** The bytes as they come. A connection that breaks fails it with a `ConnectionError`. */
  readonly body: ReadableStream<Uint8Array>
  readonly contentType: string
  /** Size of the whole file, also where this is a part of it; undefined where the service does not say. */
  readonly sizeBytes: number | undefined
  /** The name that the service gives the file. */
  readonly filename: string | undefined
  readonly etag: string | undefined
  /** Asks for the bytes from `start` to `end`, both included and counted from 0, of the same version of the file. */
  readonly range: (start: number, end?: number) => Promise<Download>
  /** Reads the body to its end. */
  readonly bytes: () => Promise<Uint8Array>
}

/** The name in a `Content-Disposition`. */
export const filenameOf = (disposition: string | null | undefined): string | undefined => {
  const names = new Map<string, string>()
  // Each parameter (RFC 6266 §4.1): a token or a quoted string, in which a backslash quotes the next character.
  const parameter = /\s*;\s*([^\s"(),/:;<=>?@[\\\]{}]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s";]*))/gy
  parameter.lastIndex = /^\s*[^\s;]*/.exec(disposition ?? "")![0].length
  for (const [, name = "", quoted, token] of (disposition ?? "").matchAll(parameter)) {
    const key = name.toLowerCase()
    if (!names.has(key)) names.set(key, quoted?.replace(/\\(.)/g, "$1") ?? token ?? "")
  }
  const name = extended(names.get("filename*")) ?? names.get("filename")
  // A folder is not the service's to choose (RFC 6266 §4.3).
  return (
    name
      ?.split(/[\\/]/)
      .pop()
      ?.replace(/^\.\.?$/, "") || undefined
  )
}

/** An extended value (RFC 8187): character set, language, and bytes as `%xx`. */
const extended = (value: string | undefined): string | undefined => {
  const [, charset = "", text = ""] = /^([^']*)'[^']*'((?:[^%]|%[\da-f]{2})*)$/i.exec(value ?? "") ?? []
  if (/^iso-8859-1$/i.test(charset))
    return text.replace(/%(..)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  try {
    return /^utf-8$/i.test(charset) ? decodeURIComponent(text) : undefined
  } catch {
    return undefined
  }
}

/** Size of the whole file, of which a 206 is a part. */
export const sizeOf = (status: number, header: (name: string) => string | null | undefined): number | undefined => {
  const text = status === 206 ? /\/(\d+)$/.exec(header("content-range") ?? "")?.[1] : header("content-length")
  return text === null || text === undefined ? undefined : Number(text)
}

/** The body, under the attempt's time-out until it ends. */
const guarded = (response: Response, attempt: Attempt): ReadableStream<Uint8Array> => {
  attempt.keep()
  const reader = (response.body ?? new Blob([]).stream()).getReader()
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        try {
          const { done, value } = await attempt.run(() => reader.read())
          if (!done) return controller.enqueue(value)
          attempt.close(true)
          controller.close()
        } catch (error) {
          attempt.close(true)
          controller.error(error)
        }
      },
      cancel: (reason) => {
        attempt.close(true)
        return reader.cancel(reason)
      }
    },
    { highWaterMark: 0 }
  )
}

/** Sends the request for a file. */
export const downloadOf = (
  transport: Transport,
  path: string,
  options: RequestOptions | undefined
): Promise<Sent<Download>> => {
  const read: Read<Download> = async (response, attempt) => {
    const { headers } = response
    const etag = headers.get("etag") ?? undefined
    const body = guarded(response, attempt)
    return {
      body,
      contentType: headers.get("content-type") ?? "application/octet-stream",
      sizeBytes: sizeOf(response.status, (name) => headers.get(name)),
      filename: filenameOf(headers.get("content-disposition")),
      etag,
      range: async (start, end) => {
        const range = { range: `bytes=${start}-${end ?? ""}`, ...(etag !== undefined && { "if-range": etag }) }
        const { data, response: part } = await downloadOf(transport, path, {
          ...options,
          headers: { ...options?.headers, ...range }
        })
        if (part.status === 206) return data
        await data.body.cancel()
        throw new TapedeckError("The file has changed since the download started", { headers: part.headers })
      },
      bytes: async () => new Uint8Array(await new Response(body).arrayBuffer())
    }
  }
  const headers = { accept: "*/*", ...options?.headers }
  return transport.send({ method: "GET", path }, { ...options, headers }, read)
}
