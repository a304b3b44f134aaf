import {
  AttemptOutcome as DomainAttemptOutcome,
  DeliveryError as DomainDeliveryError,
  DeliveryStateName as DomainDeliveryState
} from "@tapedeck/domain"
import { TestResult as DomainTestResult } from "@tapedeck/domain/internal"
import { Schema } from "effect"
import { count, dateTime, nullableDateTime, text } from "../../wire/fields.ts"
import { exampleId, flag, id, listOf } from "../fields.ts"
import { CursorPagination } from "./CursorPagination.ts"

const AttemptOutcome = DomainAttemptOutcome.annotate({
  identifier: "AttemptOutcome",
  description:
    "A response with 2xx (`success`) or any other status (`failure`), or the stage that failed; `blocked` by policy: nothing was sent; " +
    "`lost`: its worker died or lost its lease, and what was sent is not known. All but `success` count as failures.",
  examples: ["failure"]
})

export const DeliveryState = DomainDeliveryState.annotate({
  identifier: "DeliveryState",
  description: "Before the first attempt, in flight, waiting for a retry, or ended.",
  examples: ["waiting"]
})

const DeliveryError = DomainDeliveryError.annotate({
  identifier: "DeliveryError",
  description: "Why a delivery failed for good without an attempt.",
  examples: ["payload_too_large"]
})

const headers = (description: string, example: Record<string, string>) =>
  Schema.Record(Schema.String, Schema.String).annotate({ description, examples: [example] })

const AttemptRequest = Schema.Struct({
  method: text("Method.", "POST"),
  url: text("Where to.", "https://hooks.example.com/tapedeck"),
  headers: headers("As they were sent; custom values and signatures are masked.", {
    "content-type": "application/json",
    "x-tapedeck-signature": "••••••••",
    "webhook-id": exampleId
  })
}).annotate({ identifier: "AttemptRequest", description: "What was sent, with the delivery's `body`." })

const AttemptResponse = Schema.Struct({
  headers: headers("Headers.", { "content-type": "text/plain" }),
  body: text(
    "The body, or the first 64 KiB of it; in lists all responses of a delivery share 64 KiB, the latest first.",
    "try again later"
  ),
  truncated: flag("Whether the body was longer.", false)
}).annotate({ identifier: "AttemptResponse", description: "What came back." })

const Attempt = Schema.Struct({
  attempt: count("From 1; retry n is attempt n + 1.", 1),
  timestamp: dateTime("When it started."),
  elapsed_ms: count("Milliseconds since the delivery's first attempt started.", 0),
  duration_ms: count("How long it took, in milliseconds.", 120),
  outcome: AttemptOutcome,
  status_code: Schema.NullOr(Schema.Int).annotate({
    description: "HTTP status, also of a response whose body did not end in time; null where no status came.",
    examples: [503]
  }),
  request: Schema.NullOr(AttemptRequest).annotate({ description: "What was sent; null for a `lost` attempt." }),
  response: Schema.NullOr(AttemptResponse).annotate({
    description: "What came back; null where no whole response did."
  }),
  error: Schema.NullOr(Schema.String).annotate({ description: "Why there was no response.", examples: [null] })
}).annotate({ identifier: "Attempt", description: "One attempt of a delivery that has ended." })

export const Delivery = Schema.Struct({
  id: id("delivery; the `webhook-id` of each attempt"),
  event: text("The event.", "recording.added_to_folder"),
  test: flag("Whether it was a send-test.", false),
  automation_id: Schema.NullOr(Schema.String).annotate({
    description: "The automation that it is of, which may be deleted; null for audit entries.",
    examples: [exampleId]
  }),
  audit_destination_id: Schema.NullOr(Schema.String).annotate({
    description: "The audit destination that it goes to, which may be deleted; null for recordings.",
    examples: [null]
  }),
  state: DeliveryState,
  retry: Schema.optionalKey(count("Which retry it waits for; left out unless it is `waiting`.", 1)),
  recording_uuid: Schema.NullOr(Schema.String).annotate({
    description: "The recording of the event; null for audit entries and send-tests.",
    format: "uuid",
    examples: [exampleId]
  }),
  audit_entry_id: Schema.NullOr(Schema.Int).annotate({
    description: "The audit entry of the event; null for recordings.",
    examples: [null]
  }),
  redelivery_of: Schema.NullOr(Schema.String).annotate({
    description: "The delivery of which this is a redelivery.",
    examples: [null]
  }),
  body: text(
    "The payload, the same in every attempt; in lists the first 64 KiB of it.",
    '{"event":"recording.added_to_folder"}'
  ),
  error: Schema.NullOr(DeliveryError).annotate({
    description:
      "Why it is `permanently_failed` without an attempt: the payload would be larger than 1 MiB (`payload_too_large`); its `body` is empty. Else null.",
    examples: [null]
  }),
  body_truncated: flag("Whether the payload is longer than `body`.", false),
  created_at: dateTime("When it was made."),
  next_attempt_at: nullableDateTime("When the next attempt is due; null where none is.", "2026-01-01T09:01:00.000Z"),
  attempts: listOf(Attempt, "The attempts that have ended, in order.")
}).annotate({ identifier: "Delivery", description: "A webhook on its way to its receiver, and its log." })
export type Delivery = typeof Delivery.Type

export const DeliveryPage = Schema.Struct({
  pagination: CursorPagination,
  deliveries: listOf(Delivery, "The deliveries of this page, newest first.")
}).annotate({ identifier: "DeliveryPage", description: "A page of an execution log." })
export type DeliveryPage = typeof DeliveryPage.Type

const TestResult = DomainTestResult.annotate({
  identifier: "TestResult",
  description: "`success`: 2xx. `warning`: any other status, with a body. `failed`: anything else.",
  examples: ["success"]
})

const sendTestExample = {
  result: "success" as const,
  delivery: {
    id: exampleId,
    event: "recording.added_to_folder",
    test: true,
    automation_id: exampleId,
    audit_destination_id: null,
    state: "delivered" as const,
    recording_uuid: null,
    audit_entry_id: null,
    redelivery_of: null,
    body: '{"event":"recording.added_to_folder"}',
    error: null,
    body_truncated: false,
    created_at: "2026-01-01T09:00:00.000Z",
    next_attempt_at: null,
    attempts: [
      {
        attempt: 1,
        timestamp: "2026-01-01T09:00:00.000Z",
        elapsed_ms: 0,
        duration_ms: 120,
        outcome: "success" as const,
        status_code: 204,
        request: {
          method: "POST",
          url: "https://hooks.example.com/tapedeck",
          headers: { "content-type": "application/json", "x-tapedeck-signature": "••••••••" }
        },
        response: { headers: {}, body: "", truncated: false },
        error: null
      }
    ]
  }
}

export const SendTest = Schema.Struct({
  result: TestResult,
  delivery: Delivery
}).annotate({
  identifier: "SendTest",
  description: "The result of a send-test. It is never retried.",
  examples: [sendTestExample]
})
export type SendTest = typeof SendTest.Type
