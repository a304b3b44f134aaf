import { callText, type Expectation, type MatcherResult, result } from "./result.ts"
import { type DeliverySubject, deliveriesIn, deliveryLog } from "./subjects.ts"
import { logTable } from "./table.ts"

/** The delivery was delivered: an attempt succeeded. For several, each was. */
export function toBeDelivered(this: Expectation, received: unknown): MatcherResult {
  return expectState(this, "toBeDelivered", received, "delivered", "delivered")
}

/** The delivery failed permanently: its last attempt failed, and no other follows. For several, each did. */
export function toBePermanentlyFailed(this: Expectation, received: unknown): MatcherResult {
  return expectState(this, "toBePermanentlyFailed", received, "permanently_failed", "permanently failed")
}

/** The delivery was cancelled before it ended. For several, each was. */
export function toBeCancelled(this: Expectation, received: unknown): MatcherResult {
  return expectState(this, "toBeCancelled", received, "cancelled", "cancelled")
}

const expectState = (
  expectation: Expectation,
  matcher: string,
  received: unknown,
  state: string,
  inWords: string
): MatcherResult => {
  const deliveries = deliveriesIn(matcher, received)
  const others = deliveries.filter((delivery) => delivery.state !== state)
  const pass = others.length === 0
  return result(pass, () => [
    callText(expectation, matcher),
    pass ? `${subject(deliveries.length)} ${inWords}:` : `${notYet(others, deliveries.length)} not ${inWords}:`,
    ...(pass ? deliveries : others).map((delivery) => logTable(deliveryLog(delivery)))
  ])
}

const subject = (count: number): string => (count === 1 ? "The delivery is" : `All ${count} deliveries are`)

const notYet = (others: ReadonlyArray<DeliverySubject>, count: number): string =>
  count === 1 ? subject(1) : `Of ${count} deliveries, ${others.length} ${others.length === 1 ? "is" : "are"}`
