import { durationMs } from "@tapedeck/core/input"
import { type Answer, type SendOptions, timedOut } from "@tapedeck/dispatcher"
import { type Instant, outcomeOfStatus } from "@tapedeck/domain"
import type { Outcome } from "@tapedeck/fixtures"

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
  const after = (ms: number) => (startedAt + ms) as Instant
  const timeout = (): Answer => ({ ...timedOut(timeoutMs), endsAt: after(timeoutMs) })
  if (outcome === "timeout") return timeout()
  if (typeof outcome === "string") return { outcome, statusCode: null, response: null, error: brokenOff[outcome] }
  if (typeof outcome === "number") return answered(outcome, nothing)
  const afterMs = outcome.after === undefined ? 0 : durationMs(outcome.after)
  // An answer at the very instant of the deadline is still in time.
  if (afterMs > timeoutMs) return timeout()
  const response = { headers: Object.entries(outcome.headers ?? {}), ...kept(outcome.body ?? "") }
  return { ...answered(outcome.status, response), endsAt: after(afterMs) }
}

/** A response without headers and body: one object for all of them. */
const nothing: NonNullable<Answer["response"]> = { headers: [], body: "", truncated: false }

const answered = (statusCode: number, response: NonNullable<Answer["response"]>): Answer => ({
  outcome: outcomeOfStatus(statusCode),
  statusCode,
  response,
  error: null
})

const kept = (body: string) => {
  const bytes = Buffer.from(body, "utf8")
  return bytes.length <= keptBodyBytes
    ? { body, truncated: false }
    : { body: bytes.subarray(0, keptBodyBytes).toString("utf8"), truncated: true }
}
