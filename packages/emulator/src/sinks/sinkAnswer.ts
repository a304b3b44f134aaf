import { durationMs } from "@tapedeck/core/input"
import { type Answer, keptBody, type SendOptions, timedOut } from "@tapedeck/dispatcher"
import type { Instant } from "@tapedeck/domain"
import { outcomeOfStatus } from "@tapedeck/domain/internal/delivery"
import type { Outcome } from "@tapedeck/fixtures"

const brokenOff = {
  reset: "the connection was closed before the response was complete",
  refused: "the connection was refused",
  dns: "the host name was not resolved",
  tls: "the TLS handshake failed"
} as const

/** The result of an attempt to a sink with this outcome. An outcome that takes virtual time ends at its own instant. */
export const sinkAnswer = (outcome: Outcome, { startedAt, timeoutMs }: SendOptions): Answer => {
  const after = (ms: number) => (startedAt + ms) as Instant
  const timeout = (): Answer => ({ ...timedOut(timeoutMs), endsAt: after(timeoutMs) })
  if (outcome === "timeout") return timeout()
  if (typeof outcome === "string") return { outcome, statusCode: null, response: null, error: brokenOff[outcome] }
  if (typeof outcome === "number") return answered(outcome, nothing)
  const afterMs = outcome.after === undefined ? 0 : durationMs(outcome.after)
  // A response at the very instant of the deadline is in time.
  if (afterMs > timeoutMs) return timeout()
  const response = {
    headers: Object.entries(outcome.headers ?? {}),
    ...keptBody(Buffer.from(outcome.body ?? "", "utf8"))
  }
  return { ...answered(outcome.status, response), endsAt: after(afterMs) }
}

/** A response without headers and body, shared. */
const nothing: NonNullable<Answer["response"]> = { headers: [], body: "", truncated: false }

const answered = (statusCode: number, response: NonNullable<Answer["response"]>): Answer => ({
  outcome: outcomeOfStatus(statusCode),
  statusCode,
  response,
  error: null
})
