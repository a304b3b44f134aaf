import { durationMs, type Outcome } from "@tapedeck/core"
import { type Answer, type SendOptions, timedOut } from "@tapedeck/dispatcher"
import { Instant } from "@tapedeck/domain"

const brokenOff = {
  reset: "the connection was closed before the response was complete",
  refused: "the connection was refused",
  dns: "the host name was not resolved",
  tls: "the TLS handshake failed"
} as const

/** As much of a response's body as is kept (W4). */
const keptBodyBytes = 64 * 1024

/** What an attempt gets from a sink that has this outcome. What takes virtual time ends at its own instant. */
export const sinkAnswer = (outcome: Outcome, { startedAt, timeoutMs }: SendOptions): Answer => {
  const timeout: Answer = { ...timedOut(timeoutMs), endsAt: Instant.make(startedAt + timeoutMs) }
  if (outcome === "timeout") return timeout
  if (typeof outcome === "string") return { outcome, statusCode: null, response: null, error: brokenOff[outcome] }
  const { after, body, headers, status } =
    typeof outcome === "number" ? responseWith(outcome) : { ...responseWith(outcome.status), ...outcome }
  const afterMs = after === undefined ? 0 : durationMs(after)
  // An answer at the very instant of the deadline is still in time.
  if (afterMs > timeoutMs) return timeout
  return {
    outcome: status >= 200 && status < 300 ? "success" : "failure",
    statusCode: status,
    response: { headers: Object.entries(headers), ...kept(body) },
    error: null,
    endsAt: Instant.make(startedAt + afterMs)
  }
}

const responseWith = (
  status: number
): Exclude<Outcome, number | string> & { headers: Record<string, string>; body: string } => ({
  status,
  headers: {},
  body: ""
})

const kept = (body: string) => {
  const bytes = Buffer.from(body, "utf8")
  return bytes.length <= keptBodyBytes
    ? { body, truncated: false }
    : { body: bytes.subarray(0, keptBodyBytes).toString("utf8"), truncated: true }
}
