import { describe, expect, it } from "vitest"
import { auditSchedule, folderSchedule } from "../src/delivery/index.ts"
import {
  AccountId,
  type Attempt,
  AutomationId,
  type Delivery,
  DeliveryId,
  type DeliveryState,
  DestinationId,
  Instant
} from "../src/index.ts"
import { explainDelivery } from "../src/internal/delivery.ts"

const minute = 60_000
const at = (ms: number) => Instant.make(Date.UTC(2026, 0, 1) + ms)

const attempt = (number: number, begins: number, ends: number, rest: Partial<Attempt> = {}): Attempt => ({
  attempt: number,
  at: at(begins),
  elapsedMs: 0,
  endedAt: at(ends),
  outcome: "failure",
  statusCode: 503,
  request: { method: "POST", url: "https://x.test/", headers: [] },
  response: null,
  error: null,
  ...rest
})

const delivery = (
  state: DeliveryState,
  attempts: ReadonlyArray<Attempt> = [],
  rest: Partial<Delivery> = {}
): Delivery => ({
  id: DeliveryId.make("d"),
  accountId: AccountId.make(1),
  automationId: AutomationId.make("a"),
  destinationId: null,
  recordingUuid: null,
  auditEntryId: null,
  test: false,
  redeliveryOf: null,
  event: "recording.added_to_folder",
  body: "{}",
  createdAt: at(0),
  schedule: folderSchedule,
  state,
  attempts,
  ...rest
})

const waiting = (retry: number, due: number): DeliveryState => ({
  _tag: "Waiting",
  retry,
  dueAt: at(due),
  firstAttemptAt: at(0)
})

const audit = {
  automationId: null,
  destinationId: DestinationId.make("s"),
  schedule: auditSchedule(2)
} as const

describe("the explanation of the next attempt", () => {
  it.each<[string, Delivery, string, string]>([
    [
      "the event",
      delivery({ _tag: "Scheduled", dueAt: at(0) }),
      "event",
      "The first attempt has been due since 2026-01-01T00:00:00.000Z"
    ],
    [
      "given back before the first",
      delivery({ _tag: "Scheduled", dueAt: at(5) }),
      "given_back",
      "The first attempt has been due since"
    ],
    ["the schedule", delivery(waiting(1, minute), [attempt(1, 0, 900)]), "schedule", "1 minute after attempt 1 began."],
    [
      "the schedule, of an audit destination",
      delivery(waiting(2, 7 * minute), [attempt(1, 0, 900), attempt(2, 2 * minute, 3 * minute)], audit),
      "schedule",
      "Retry 2 of 2 is due at 2026-01-01T00:07:00.000Z, 5 minutes after attempt 2 began."
    ],
    [
      "the attempt before it, which took longer",
      delivery(waiting(1, 5 * minute), [attempt(1, 0, 5 * minute)], audit),
      "end_of_attempt",
      "the end of attempt 1, which took longer than the delay of 1 minute"
    ],
    ["given back", delivery(waiting(1, minute + 7), [attempt(1, 0, 900)]), "given_back", "before anything was sent"],
    [
      "a lost attempt, which ended when it was found",
      delivery(waiting(1, 9 * minute), [attempt(1, 0, 9 * minute, { outcome: "lost", request: null })]),
      "end_of_attempt",
      "Attempt 1 was lost with its worker, and counts as failed. Retry 1 of 5 is due at"
    ]
  ])("explains the due time and its reason: %s", (_, one, because, words) => {
    const { next, text } = explainDelivery(one, at(30_000))
    expect(next?.because).toBe(because)
    expect(text).toContain(words)
  })

  it("explains that no attempt is due if the payload was too large to be sent", () => {
    const one = delivery({ _tag: "PermanentlyFailed", at: at(0) }, [], { error: "payload_too_large" })
    expect(explainDelivery(one, at(0))).toEqual({
      reason: "payload_too_large",
      next: null,
      text: "Its payload would be larger than 1 MiB: nothing was sent."
    })
  })

  it("gives the time since which the attempt has been due", () => {
    const one = delivery(waiting(1, minute), [attempt(1, 0, 900)])
    expect(explainDelivery(one, at(minute - 1)).reason).toBe("waiting_for_retry")
    const due = explainDelivery(one, at(minute))
    expect([due.reason, due.text]).toEqual([
      "retry_due",
      expect.stringContaining("is due since 2026-01-01T00:01:00.000Z")
    ])
  })
})

describe("the explanation of the last attempt", () => {
  it.each<[Partial<Attempt>, string]>([
    [{}, "Attempt 1 failed: it was answered with 503."],
    [
      { outcome: "timeout", statusCode: null, error: "timed out after 30000 ms" },
      "Attempt 1 failed (timeout): timed out after 30000 ms."
    ],
    [{ outcome: "dns", statusCode: null }, "Attempt 1 failed (dns)."],
    [
      { outcome: "blocked", statusCode: null, error: "webhooks go by HTTPS only" },
      "Attempt 1 was blocked, and nothing was sent: webhooks go by HTTPS only."
    ]
  ])("explains the outcome of an attempt with %j", (rest, words) => {
    expect(explainDelivery(delivery(waiting(1, minute), [attempt(1, 0, 900, rest)]), at(900)).text).toContain(words)
  })
})
