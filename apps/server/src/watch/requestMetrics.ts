import { type Context, Metric } from "effect"

/** A request that was answered, or whose caller left. */
export interface WatchedRequest {
  readonly method: string
  /** A template, never a path. */
  readonly route: string
  /** Null where the caller did not wait for the answer. */
  readonly status: number | null
  readonly durationMs: number
}

/** Seconds: from a list out of memory to an upload. */
const boundaries = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

const knownMethods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])

const statusClass = (status: number | null): string => (status === null ? "gone" : `${Math.floor(status / 100)}xx`)

/** Counts requests by route, method and class of status; `gone` is a caller who did not wait for the answer. */
export const makeRequestMetrics = () => {
  const counters = new Map<string, Metric.Counter<number>>()
  const durations = new Map<string, Metric.Histogram<number>>()

  const counterOf = (route: string, method: string, status: string) => {
    const key = `${method} ${status} ${route}`
    const known = counters.get(key)
    if (known !== undefined) return known
    const counter = Metric.counter("tapedeck_http_requests_total", {
      description: "Requests that were answered, by route, method and class of status",
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
      description: "From a request's headers to the beginning of its answer",
      attributes: { route, method },
      boundaries
    })
    durations.set(key, histogram)
    return histogram
  }

  return ({ durationMs, method, route, status }: WatchedRequest, context: Context.Context<never>): void => {
    const name = knownMethods.has(method) ? method : "other"
    counterOf(route, name, statusClass(status)).updateUnsafe(1, context)
    durationOf(route, name).updateUnsafe(durationMs / 1000, context)
  }
}
