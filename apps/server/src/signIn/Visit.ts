import type { Connection } from "@tapedeck/http"
import type { HttpServerRequest } from "effect/http"

/** A request to a page, as far as all pages look at it. */
export interface Visit {
  readonly request: HttpServerRequest.HttpServerRequest
  readonly connection: Connection
  readonly query: URLSearchParams
  /** What the browser has as a session, good or not. */
  readonly cookie: string | undefined
}
