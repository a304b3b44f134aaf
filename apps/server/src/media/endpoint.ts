import { request as httpRequest, type IncomingMessage, type OutgoingHttpHeaders } from "node:http"
import { pipeline, type Readable } from "node:stream"
import { Effect, Redacted } from "effect"

interface EndpointOptions {
  /** The URL up to `/v1`. */
  readonly url: string
  /** Path of the operation below the URL. */
  readonly path: string
  readonly key: Redacted.Redacted | undefined
  /** Maximum size of a response. */
  readonly maxResponseBytes: number
}

/** A body of a request. It can be read once. */
interface EndpointBody {
  readonly contentType: string
  readonly contentLength: number
  readonly body: Readable
}

/** Statuses of a request that fails again whenever it is sent. An operator may repair others, such as a rejected key. */
export const permanentStatuses: ReadonlySet<number> = new Set([400, 413, 415, 422])

/** Maximum length of the endpoint's error in the log, in characters. */
const maxErrorLength = 300

/** An operation of an API that is compatible with OpenAI's. */
export const makeEndpoint = ({ maxResponseBytes, path, url, ...options }: EndpointOptions) => {
  const target = new URL(url)
  target.pathname = [...target.pathname.split("/").filter((part) => part !== ""), ...path.split("/")].join("/")
  const key = options.key === undefined ? undefined : Redacted.value(options.key)

  const post = ({ body, contentLength, contentType }: EndpointBody) =>
    send(
      target,
      {
        "content-type": contentType,
        "content-length": contentLength,
        accept: "application/json",
        ...(key !== undefined && { authorization: `Bearer ${key}` })
      },
      body,
      maxResponseBytes
    )

  const withoutKey = (text: string) => (key === undefined ? text : text.replaceAll(key, "…"))

  return {
    /** Address for logs. */
    where: `${target.origin}${target.pathname}`,
    /** Sends the body and returns the response. */
    post,
    /** Returns the endpoint's error without the key. Empty if it refuses the key, because it may quote a part of it. */
    errorTextOf: ({ body, status }: EndpointAnswer): string => {
      const text = withoutKey(body.trim().replace(/\s+/g, " ")).slice(0, maxErrorLength)
      return status === 401 || status === 403 || text === "" ? "" : `: ${text}`
    }
  }
}

/** No response was received. The detail, which may contain an address, is for the log alone. */
interface EndpointFailure {
  readonly problem: string
  readonly detail: string
}

export interface EndpointAnswer {
  readonly status: number
  readonly body: string
}

/** Sends the body and reads the whole response. Closes the connection when it is interrupted. */
const send = (
  target: URL,
  headers: OutgoingHttpHeaders,
  body: Readable,
  maxResponseBytes: number
): Effect.Effect<EndpointAnswer, EndpointFailure> =>
  Effect.callback<EndpointAnswer, EndpointFailure>((resume) => {
    const fail = (error: Error) => resume(Effect.fail({ problem: "is not reachable", detail: `: ${error.message}` }))
    let ended = false
    let stop = () => {}
    void requestFor(target).then((request) => {
      if (ended) return
      const sent = request(target, { method: "POST", headers, agent: false })
      stop = () => sent.destroy()
      sent.once("error", fail)
      sent.once("response", (response) => {
        void read(response, maxResponseBytes).then(
          (body) => resume(Effect.succeed({ status: response.statusCode ?? 0, body })),
          fail
        )
      })
      // Ignores a broken pipe: an endpoint that refuses early has responded with the reason.
      pipeline(body, sent, () => undefined)
    }, fail)
    return Effect.sync(() => {
      ended = true
      stop()
      body.destroy()
    })
  })

/** Loads TLS only if it is used. */
const requestFor = async (target: URL) =>
  target.protocol === "https:" ? (await import("node:https")).request : httpRequest

const read = async (response: IncomingMessage, maxResponseBytes: number): Promise<string> => {
  const pieces: Array<Buffer> = []
  let size = 0
  for await (const piece of response) {
    size += (piece as Buffer).length
    if (size > maxResponseBytes) throw new Error(`the response is longer than ${maxResponseBytes} bytes`)
    pieces.push(piece as Buffer)
  }
  return Buffer.concat(pieces).toString("utf8")
}
