const PlainRequest = globalThis.Request

const namesOf = (source: unknown): Headers => new Headers((source as RequestInit | undefined)?.headers ?? {})

/** A request that has all headers that its caller sets: browsers drop `Host`, `Content-Length` and others. */
class OwnRequest extends PlainRequest {
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof PlainRequest
  }

  constructor(input: string | URL | globalThis.Request, init?: RequestInit) {
    super(input, init)
    const headers = new Headers(this.headers)
    const explicit = namesOf(init?.headers === undefined ? input : init)
    for (const [name, value] of explicit) headers.set(name, value)
    Object.defineProperty(this, "headers", { value: headers })
  }
}

export { OwnRequest as Request }
