import { declareCounter } from "@tapedeck/core"
import type { ClientFault } from "@tapedeck/http/node"

export const droppedConnections = declareCounter(
  "tapedeck_http_connections_dropped_total",
  "Connections that were closed because of the limit of connections",
  {}
)

export const stalledConnections = declareCounter(
  "tapedeck_http_connections_stalled_total",
  "Connections that were reset because the client did not read the response",
  {}
)

const faults: Readonly<Record<ClientFault, true>> = { malformed: true, headers_too_large: true, too_slow: true }

export const refusedConnections = declareCounter(
  "tapedeck_http_connections_refused_total",
  "Connections that were closed before a complete request",
  { reason: Object.keys(faults) as ReadonlyArray<ClientFault> }
)

export const edgeMetrics = [droppedConnections, stalledConnections, refusedConnections]
