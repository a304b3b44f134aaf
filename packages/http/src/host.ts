import type { Caller } from "@tapedeck/core"
import { Context, type Effect } from "effect"
import type { HttpServerRequest } from "effect/http"

/**
 * What stands before `/api` in the addresses that a client uses, without a slash at its end: `/worlds/w1` in a world of
 * the emulator. The request's own URL comes without it. It shows in the OpenAPI documents alone.
 */
export const BasePath = Context.Reference<string>("@tapedeck/http/BasePath", { defaultValue: () => "" })

/** Whether v2 and v1 refuse query parameters that they do not know. The specification ignores them, and so does a server. */
export const StrictQueries = Context.Reference<boolean>("@tapedeck/http/StrictQueries", { defaultValue: () => false })

/**
 * Replaces the credentials of requests: returns the access token that a request is made with, or null where there is none. With null
 * (the default), a request's own `Authorization` and cookie count.
 */
export const RequestToken = Context.Reference<
  ((request: HttpServerRequest.HttpServerRequest) => Effect.Effect<string | null>) | null
>("@tapedeck/http/RequestToken", { defaultValue: () => null })

/** A request that was answered. */
export interface RequestLogEntry {
  readonly requestId: string
  readonly method: string
  /** Path and query, as they were sent. */
  readonly url: string
  readonly status: number
  /** Null without authentication. */
  readonly caller: Caller | null
  /** The section or decision that refused it; undefined where it was not refused. */
  readonly rule: string | undefined
  /** The names of the query parameters that were ignored, because the endpoint does not know them. */
  readonly unknownQuery: ReadonlyArray<string>
}

/** Called once for each request, when its answer is known; null (the default) for no log at all. */
export const RequestLog = Context.Reference<((entry: RequestLogEntry) => Effect.Effect<void>) | null>(
  "@tapedeck/http/RequestLog",
  { defaultValue: () => null }
)
