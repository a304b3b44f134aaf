import { type DeliverySubject, deliveriesIn, deliveryLog } from "./subjects.ts"
import { logTable } from "./table.ts"
import { callText, type Expectation, type Verdict, verdict } from "./verdict.ts"

/** The delivery was delivered: an attempt succeeded. Of several, each was. */
export function toBeDelivered(this: Expectation, received: unknown): Verdict {
  return judge(this, "toBeDelivered", received, "delivered", "delivered")
}

/** The delivery failed for good: its last attempt failed, and no other follows. Of several, each did. */
export function toBePermanentlyFailed(this: Expectation, received: unknown): Verdict {
  return judge(this, "toBePermanentlyFailed", received, "permanently_failed", "permanently failed")
}

/** The delivery was called off before it came to an end (W11). Of several, each was. */
export function toBeCancelled(this: Expectation, received: unknown): Verdict {
  return judge(this, "toBeCancelled", received, "cancelled", "cancelled")
}

const judge = (
  expectation: Expectation,
  matcher: string,
  received: unknown,
  state: string,
  inWords: string
): Verdict => {
  const deliveries = deliveriesIn(matcher, received)
  const others = deliveries.filter((delivery) => delivery.state !== state)
  const pass = others.length === 0
  return verdict(pass, () => [
    callText(expectation, matcher),
    pass ? `${subject(deliveries.length)} ${inWords}:` : `${notYet(others, deliveries.length)} not ${inWords}:`,
    ...(pass ? deliveries : others).map((delivery) => logTable(deliveryLog(delivery)))
  ])
}

const subject = (count: number): string => (count === 1 ? "The delivery is" : `All ${count} deliveries are`)

const notYet = (others: ReadonlyArray<DeliverySubject>, count: number): string =>
  count === 1 ? subject(1) : `Of ${count} deliveries, ${others.length} ${others.length === 1 ? "is" : "are"}`
