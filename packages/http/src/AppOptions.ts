import type { Caller } from "@tapedeck/core"
import { Context, type Effect } from "effect"
import type { HttpServerRequest, HttpServerResponse } from "effect/http"
import type { RefusalCounter } from "./pipeline/RefusalCounter.ts"

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
  /** The body of the request; null where none was read, as of GET and of uploads. */
  readonly body: Uint8Array | null
  readonly response: HttpServerResponse.HttpServerResponse
}

/** Options with which a process serves the app: its path, its log, and its differences to a plain server. */
export class AppOptions extends Context.Service<
  AppOptions,
  {
    /**
     * Path before `/api` in the addresses of clients, without a slash at its end: `/worlds/w1` in a world of the emulator. The URL of a request
     * does not have it. OpenAPI documents and the addresses of captures do.
     */
    readonly basePath: string
    /** True if v2 and v1 refuse unknown query parameters. The specification ignores them, and so does a server. */
    readonly strictQueries: boolean
    /**
     * Replaces the credentials of requests: returns the access token that a request is made with, or null where there is none. If it
     * is null itself, a request's own `Authorization` and cookie count.
     */
    readonly tokenOf: ((request: HttpServerRequest.HttpServerRequest) => Effect.Effect<string | null>) | null
    /** Called once for each request, when its answer is known; null for no log at all. */
    readonly log: ((entry: RequestLogEntry) => Effect.Effect<void>) | null
    /** Counts refused requests; null for no limit. */
    readonly refusals: RefusalCounter | null
  }
>()("@tapedeck/http/AppOptions") {}

/** The options of a plain server at the root of its origin. */
export const defaultAppOptions: AppOptions["Service"] = {
  basePath: "",
  strictQueries: false,
  tokenOf: null,
  log: null,
  refusals: null
}
