import { vi } from "vitest"

/** One request that the server got. */
export interface Got {
  readonly method: string
  readonly path: string
  readonly headers: Headers
}

/** A tus server in place of `fetch`: uploads by path. `fail` may replace an answer, before or after its effect. */
export class TusServer {
  readonly uploads = new Map<string, { bytes: Uint8Array; length: number | null; metadata: string }>()
  readonly got: Array<Got> = []
  fail: (got: Got, number: number) => "before" | "after" | number | undefined = () => undefined

  constructor() {
    vi.stubGlobal("fetch", (url: string, init: RequestInit) => this.answer(url, init))
  }

  get texts(): ReadonlyArray<string> {
    return [...this.uploads.values()].map(({ bytes }) => new TextDecoder().decode(bytes))
  }

  private async answer(path: string, { body, headers: given, method = "GET" }: RequestInit): Promise<Response> {
    const headers = new Headers(given)
    const got = { method, path, headers }
    const outcome = this.fail(got, this.got.push(got))
    if (outcome === "before") throw new TypeError("connection lost")
    if (typeof outcome === "number") return new Response("{}", { status: outcome })
    const bytes =
      body === undefined || body === null ? new Uint8Array() : new Uint8Array(await new Response(body).arrayBuffer())
    const response = this.effect(got, bytes)
    if (outcome === "after") throw new TypeError("connection lost")
    return response
  }

  private effect({ headers, method, path }: Got, bytes: Uint8Array): Response {
    if (method === "POST") {
      const location = `/uploads/${this.uploads.size}`
      this.uploads.set(location, {
        bytes: new Uint8Array(),
        length: null,
        metadata: headers.get("upload-metadata") ?? ""
      })
      return new Response(null, { status: 201, headers: { location } })
    }
    const upload = this.uploads.get(path)
    if (upload === undefined) return new Response("{}", { status: 404 })
    if (method === "HEAD")
      return new Response(null, { status: 200, headers: { "upload-offset": String(upload.bytes.length) } })
    if (Number(headers.get("upload-offset")) !== upload.bytes.length) return new Response("{}", { status: 409 })
    upload.bytes = new Uint8Array([...upload.bytes, ...bytes])
    const length = headers.get("upload-length")
    if (length !== null) upload.length = Number(length)
    return new Response(null, { status: 204, headers: { "upload-offset": String(upload.bytes.length) } })
  }
}
