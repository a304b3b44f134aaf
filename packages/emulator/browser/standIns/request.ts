const PlainRequest = globalThis.Request

const headersOf = (source: unknown): Headers => new Headers((source as RequestInit | undefined)?.headers ?? {})

/** The body as a stream, which is read when the stream is. */
export const streamOf = (request: globalThis.Request): ReadableStream<Uint8Array> =>
  new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const bytes = new Uint8Array(await request.arrayBuffer())
        if (bytes.length > 0) controller.enqueue(bytes)
        controller.close()
      }
    },
    { highWaterMark: 0 }
  )

/**
 * A request that has all headers that its caller sets, and its body as a stream: browsers drop `Host`, `Content-Length` and others,
 * and Firefox has no streams of requests.
 */
class OwnRequest extends PlainRequest {
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof PlainRequest
  }

  constructor(input: string | URL | globalThis.Request, init?: RequestInit) {
    super(input, init)
    const headers = new Headers(this.headers)
    for (const [name, value] of headersOf(init?.headers === undefined ? input : init)) headers.set(name, value)
    Object.defineProperty(this, "headers", { value: headers })
    if ("body" in PlainRequest.prototype) return
    const hasBody = (init?.body ?? (input instanceof PlainRequest ? input.body : null)) !== null
    Object.defineProperty(this, "body", { value: hasBody ? streamOf(this) : null })
  }
}

export { OwnRequest as Request }
