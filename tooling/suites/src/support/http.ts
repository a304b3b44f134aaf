import { Agent, type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from "node:http"

/**
 * Requests through `node:http`, because `fetch` hides what the suites look at: header lines as sent, HEAD, bodies
 * without a length, what a server answers before it has read a body.
 */

/** Closes idle connections before a server does, after 5 s: one that is used as it is closed fails its request. */
const agent = new Agent({ keepAlive: true, timeout: 2_000 })

export interface Call {
  readonly method?: string | undefined
  readonly token?: string | undefined
  readonly headers?: OutgoingHttpHeaders | undefined
  /** Sent as `application/json`. */
  readonly json?: unknown
  readonly body?: string | Uint8Array | undefined
  /** Sends the body in chunks, without a Content-Length. */
  readonly chunked?: boolean | undefined
  /** Opens a connection for this call alone: after a pause, the server may close an idle one as it is used. */
  readonly ownSocket?: boolean | undefined
}

export class Answer {
  readonly method: string
  /** As asked for, below the base URL, with its query. */
  readonly path: string
  readonly sent: string
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** Names and values in turn, as they came. */
  readonly rawHeaders: ReadonlyArray<string>
  readonly body: Buffer

  constructor(fields: Pick<Answer, "method" | "path" | "sent" | "status" | "headers" | "rawHeaders" | "body">) {
    this.method = fields.method
    this.path = fields.path
    this.sent = fields.sent
    this.status = fields.status
    this.headers = fields.headers
    this.rawHeaders = fields.rawHeaders
    this.body = fields.body
  }

  get text(): string {
    return this.body.toString("utf8")
  }

  header(name: string): string | undefined {
    const value = this.headers[name.toLowerCase()]
    return Array.isArray(value) ? value.join(", ") : value
  }

  /** The body as JSON; its shape is the caller's claim, which the assertions (and the OpenAPI document) check. */
  as<T>(): T {
    try {
      return JSON.parse(this.text) as T
    } catch {
      throw new Error(`The body is not JSON.\n${this}`)
    }
  }

  toString(): string {
    const headers = []
    for (let at = 0; at < this.rawHeaders.length; at += 2) {
      headers.push(`< ${this.rawHeaders[at]}: ${this.rawHeaders[at + 1]}`)
    }
    return [
      `> ${this.method} ${cut(this.path)}`,
      this.sent,
      `< ${this.status}`,
      ...headers,
      cut(this.text.replaceAll("\u0000", "·"), 2_000)
    ].join("\n")
  }
}

const cut = (text: string, most = 300) =>
  text.length > most ? `${text.slice(0, most)}… (${text.length} characters)` : text

const bodyOf = (options: Call) => (options.json === undefined ? options.body : JSON.stringify(options.json))

export const call = (baseUrl: string, path: string, options: Call = {}): Promise<Answer> => {
  const method = options.method ?? "GET"
  const body = bodyOf(options)
  const headers: OutgoingHttpHeaders = {
    ...(options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }),
    ...(options.json === undefined ? {} : { "content-type": "application/json" }),
    ...(body === undefined || options.chunked ? {} : { "content-length": Buffer.byteLength(body) }),
    ...options.headers
  }
  const sent = [
    ...Object.entries(headers).map(([name, value]) => `> ${name}: ${value}`),
    ...(body === undefined ? [] : [cut(String(body))])
  ].join("\n")
  // A server may close the connection of a request that it refused unread: such a socket is not reused.
  const ownSocket = options.ownSocket || (body !== undefined && Buffer.byteLength(body) > 65_536)
  return new Promise((resolve, reject) => {
    const url = new URL(baseUrl)
    const outgoing = request(
      {
        agent: ownSocket ? false : agent,
        host: url.hostname,
        port: url.port,
        method,
        path: url.pathname.replace(/\/$/, "") + path,
        headers
      },
      (incoming) => {
        const chunks: Array<Buffer> = []
        incoming.on("data", (chunk: Buffer) => chunks.push(chunk))
        incoming.on("error", reject)
        incoming.on("end", () => {
          resolve(
            new Answer({
              method,
              path,
              sent,
              status: incoming.statusCode ?? 0,
              headers: incoming.headers,
              rawHeaders: incoming.rawHeaders,
              body: Buffer.concat(chunks)
            })
          )
        })
      }
    )
    outgoing.on("error", (cause) => reject(new Error(`${method} ${cut(path)}: ${cause.message}`, { cause })))
    if (options.chunked && body !== undefined) {
      const bytes = Buffer.from(body)
      for (let at = 0; at < bytes.length; at += 65_536) outgoing.write(bytes.subarray(at, at + 65_536))
      outgoing.end()
    } else {
      outgoing.end(body)
    }
  })
}
