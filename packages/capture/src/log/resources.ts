import { type NetworkPart, requestEvent } from "./network.ts"
import type { Recording } from "./recording.ts"

const initiators: Readonly<Record<string, NetworkPart["initiator"]>> = {
  fetch: "fetch",
  xmlhttprequest: "xhr",
  beacon: "beacon"
}

/**
 * Records resources that the page loads by elements and beacons, from its start on. Responses of other origins without permission have no
 * status and are omitted; resources that did not load are an `error`. Requests by `fetch` and XHR are recorded separately.
 */
export const recordResources = ({ add, patches }: Recording) => {
  if (typeof PerformanceObserver === "undefined") return
  const begun = performance.now()
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as Array<PerformanceResourceTiming>) {
      const { decodedBodySize, duration, initiatorType, name, responseStatus, startTime } = entry
      const initiator = initiators[initiatorType] ?? "resource"
      const isRecorded = (initiator === "fetch" || initiator === "xhr") && startTime >= begun
      if (isRecorded || !responseStatus) continue
      add(
        {
          ...requestEvent(initiator, initiator === "beacon" ? "POST" : "GET", name),
          status: responseStatus,
          duration_ms: Math.round(duration),
          size_bytes: decodedBodySize
        },
        performance.timeOrigin + startTime
      )
    }
  })
  observer.observe({ type: "resource", buffered: true })
  patches.defer(() => observer.disconnect())
}
