import { type DeliveryState, decideDelivery, type Instant, nextAttemptAt, timelineOf } from "@tapedeck/domain/delivery"
import { parseTemplate, renderTemplate } from "@tapedeck/domain/template"
import { Result } from "effect"

/** An invoice that is sent again 1, 7 and 14 days after it was sent last, as long as it is not paid. */
const dayMs = 24 * 3_600_000
const schedule = [dayMs, 7 * dayMs, 14 * dayMs]

const variables = ["customer.name", "invoice.id", "invoice.total"]
const message = Result.getOrThrow(
  parseTemplate('{"text":"Dear {{customer.name}}: invoice {{invoice.id}}","total":{{invoice.total}}}', variables)
)
console.log(renderTemplate(message, { "customer.name": 'Ada "A." King', "invoice.id": "26-17", "invoice.total": 42 }))

/** Milliseconds since 1970. */
const sentAt = Date.UTC(2026, 0, 1) as Instant
const onDay = (day: number) => (sentAt + day * dayMs) as Instant
const dateOf = (at: number) => new Date(at).toISOString().slice(0, 10)

// When is it sent, if it is never paid?
for (const { at, attempt } of timelineOf(schedule, [], sentAt).attempts) console.log(`${attempt}: ${dateOf(at)}`)

// The state of one invoice, as a database has it, and what happens to it.
let state: DeliveryState = { _tag: "Scheduled", dueAt: sentAt }
state = Result.getOrThrow(decideDelivery(state, { _tag: "AttemptStarted", at: sentAt }, schedule))
state = Result.getOrThrow(decideDelivery(state, { _tag: "AttemptFailed", at: onDay(1) }, schedule))
console.log(`${state._tag}, sent again on ${dateOf(nextAttemptAt(state)!)}`)

// What cannot happen in a state is refused.
const refused = decideDelivery(state, { _tag: "AttemptSucceeded", at: onDay(1) }, schedule)
if (Result.isFailure(refused)) console.log(refused.failure.message)
