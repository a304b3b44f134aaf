import { type Context, Metric } from "effect"

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

const knownMethods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])

/** The classes of final statuses; `gone` is a client that disconnected. */
const statusClasses = ["2xx", "3xx", "4xx", "5xx", "gone"]

const statusClass = (status: number | null): string => (status === null ? "gone" : `${Math.floor(status / 100)}xx`)

/** Counts requests by route, method and class of status; `gone` is a client that disconnected. */
export const makeRequestMetrics = () => {
  const counters = new Map<string, Metric.Counter<number>>()
  const durations = new Map<string, Metric.Histogram<number>>()

  const counterOf = (route: string, method: string, status: string) => {
    const key = `${method} ${status} ${route}`
    const known = counters.get(key)
    if (known !== undefined) return known
    const counter = Metric.counter("tapedeck_http_requests_total", {
      description: "Answered requests by route, method and class of status",
      attributes: { route, method, status },
      incremental: true
    })
    counters.set(key, counter)
    return counter
  }

  const durationOf = (route: string, method: string) => {
    const key = `${method} ${route}`
    const known = durations.get(key)
    if (known !== undefined) return known
    const histogram = Metric.histogram("tapedeck_http_request_duration_seconds", {
      description: "Time from a request's headers to the start of its response",
      attributes: { route, method },
      boundaries
    })
    durations.set(key, histogram)
    return histogram
  }

  /** Shows the counters of these routes as 0: Prometheus sees no increase of a counter whose first value is 1. */
  const start = (routes: ReadonlyArray<ServedRoute>, context: Context.Context<never>): void => {
    for (const { methods, route } of routes)
      for (const method of methods)
        for (const status of statusClasses) counterOf(route, method, status).updateUnsafe(0, context)
  }

  const count = ({ durationMs, method, route, status }: WatchedRequest, context: Context.Context<never>): void => {
    const name = knownMethods.has(method) ? method : "other"
    counterOf(route, name, statusClass(status)).updateUnsafe(1, context)
    durationOf(route, name).updateUnsafe(durationMs / 1000, context)
  }

  return { count, start }
}
