import { declareCounter, declareHistogram } from "@tapedeck/core"
import type { Context } from "effect"

/** A request that was answered, or whose client disconnected. */
export interface WatchedRequest {
  readonly method: string
  /** The path template. */
  readonly route: string
  /** Null if the client disconnected before the response. */
  readonly status: number | null
  readonly durationMs: number
}

/** A route that the server has, and its methods. */
export interface ServedRoute {
  readonly methods: ReadonlyArray<string>
  readonly route: string
}

/** Boundaries of the durations, in seconds, from a cached list to an upload. */
const boundaries = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** The classes of final statuses; `gone` is a client that disconnected. */
const statusClasses = ["2xx", "3xx", "4xx", "5xx", "gone"] as const

const statusClass = (status: number | null): (typeof statusClasses)[number] =>
  status === null ? "gone" : (`${Math.floor(status / 100)}xx` as (typeof statusClasses)[number])

/** The label of methods that a route does not have. */
const otherMethod = "other"

const requests = declareCounter(
  "tapedeck_http_requests_total",
  "Requests. `route` is a template such as `/api/v2/recordings/:uuid`, or `other`; `method` is `other` if the route does not have it; `gone` is a client that disconnected",
  { route: null, method: null, status: statusClasses }
)

const durations = declareHistogram(
  "tapedeck_http_request_duration_seconds",
  "Time from the headers of a request to the start of its response, including the body of an upload",
  { route: null, method: null },
  boundaries
)

export const requestMetrics = [requests, durations]

/** Counts requests by route, method and class of status. */
export const makeRequestMetrics = () => {
  const served = new Map<string, ReadonlySet<string>>()

  /** Creates the counters of these routes, with 0: Prometheus sees no increase of a counter whose first value is 1. */
  const start = (routes: ReadonlyArray<ServedRoute>, context: Context.Context<never>): void => {
    for (const { methods, route } of routes) {
      served.set(route, new Set(methods))
      for (const method of [...methods, otherMethod])
        for (const status of statusClasses) requests.of({ route, method, status }).updateUnsafe(0, context)
    }
  }

  const count = ({ durationMs, route, status, ...request }: WatchedRequest, context: Context.Context<never>): void => {
    const method = served.get(route)?.has(request.method) === true ? request.method : otherMethod
    requests.of({ route, method, status: statusClass(status) }).updateUnsafe(1, context)
    durations.of({ route, method }).updateUnsafe(durationMs / 1000, context)
  }

  return { count, start }
}
