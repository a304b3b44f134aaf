import type { Connection } from "@tapedeck/http"
import type { HttpServerRequest } from "effect/http"

/** A request to a page, as all pages use it. */
export interface PageContext {
  readonly request: HttpServerRequest.HttpServerRequest
  readonly connection: Connection
  readonly query: URLSearchParams
  /** The path of the server's public URL, without a slash at its end; empty at the root of a host. */
  readonly basePath: string
  /** The session cookie of the browser, valid or not. */
  readonly cookie: string | undefined
}
