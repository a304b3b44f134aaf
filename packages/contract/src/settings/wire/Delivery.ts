import {
  AttemptOutcome as DomainAttemptOutcome,
  DeliveryError as DomainDeliveryError,
  DeliveryStateName as DomainDeliveryState,
  SkipReason as DomainSkipReason
} from "@tapedeck/domain"
import { TestResult as DomainTestResult } from "@tapedeck/domain/internal/delivery"
import { Schema } from "effect"
import { count, dateTime, nullableDateTime, nullableText, text } from "../../wire/fields.ts"
import { exampleId, flag, id, listOf } from "../fields.ts"
import { CursorPagination } from "./CursorPagination.ts"

const AttemptOutcome = DomainAttemptOutcome.annotate({
  identifier: "AttemptOutcome",
  description:
    "Outcome of the attempt: a response with 2xx (`success`) or with another status (`failure`), or the stage that failed. `blocked`: a " +
    "policy blocked the attempt, and nothing was sent. `lost`: the worker died or lost its lease, and it is unknown what was sent. All " +
    "outcomes except `success` are failures.",
  examples: ["failure"]
})

export const DeliveryState = DomainDeliveryState.annotate({
  identifier: "DeliveryState",
  description:
    "State of the delivery: before the first attempt, in flight, waiting for a retry, ended, or never sent (`skipped`).",
  examples: ["waiting"]
})

const DeliveryError = DomainDeliveryError.annotate({
  identifier: "DeliveryError",
  description: "Reason why the delivery failed permanently before its first attempt.",
  examples: ["payload_too_large"]
})

const Skip = Schema.Struct({
  reason: DomainSkipReason.annotate({
    identifier: "SkipReason",
    description:
      "Part of the automation's condition that does not hold for the recording (`platform`, `type`, `no_ticket`), or `variable_missing`.",
    examples: ["no_ticket"]
  }),
  variables: listOf(
    Schema.String.annotate({ examples: ["recording.ticket_id"] }),
    "Variables of the URL that are missing; empty for other reasons."
  )
}).annotate({
  identifier: "Skip",
  description: "Reason why a delivery was skipped, and nothing was sent. It is no failure."
})

const headers = (description: string, example: Record<string, string>) =>
  Schema.Record(Schema.String, Schema.String).annotate({ description, examples: [example] })

const AttemptRequest = Schema.Struct({
  method: text("Method of the request.", "POST"),
  url: text("URL of the request.", "https://hooks.example.com/tapedeck"),
  headers: headers("Headers of the request. Values of custom headers and signatures are masked.", {
    "content-type": "application/json",
    "x-tapedeck-signature": "••••••••",
    "webhook-id": exampleId
  })
}).annotate({
  identifier: "AttemptRequest",
  description: "Request of an attempt. Its body is the `body` of the delivery."
})

const AttemptResponse = Schema.Struct({
  headers: headers("Headers of the response.", { "content-type": "text/plain" }),
  body: text(
    "Body of the response, cut to 64 KiB. In lists, all responses of a delivery together are cut to 64 KiB, the latest first.",
    "try again later"
  ),
  truncated: flag("Whether the body was cut.", false)
}).annotate({ identifier: "AttemptResponse", description: "Response to an attempt." })

const Attempt = Schema.Struct({
  attempt: count("Number of the attempt, counted from 1. Retry n is attempt n + 1.", 1),
  timestamp: dateTime("Time at which the attempt started."),
  elapsed_ms: count("Time since the start of the delivery's first attempt, in milliseconds.", 0),
  duration_ms: count("Duration of the attempt, in milliseconds.", 120),
  outcome: AttemptOutcome,
  status_code: Schema.NullOr(Schema.Int).annotate({
    description: "HTTP status of the response, even if its body did not end in time; null if no status was received.",
    examples: [503]
  }),
  request: Schema.NullOr(AttemptRequest).annotate({
    description: "Request of the attempt; null if the attempt is `lost`."
  }),
  response: Schema.NullOr(AttemptResponse).annotate({
    description: "Response to the attempt; null if no complete response was received."
  }),
  error: Schema.NullOr(Schema.String).annotate({
    description: "Reason why no response was received; null if one was received.",
    examples: [null]
  })
}).annotate({ identifier: "Attempt", description: "Attempt of a delivery that has ended." })

const DeliveredRecording = Schema.Struct({
  title: nullableText("Title of the recording; null for none.", "Checkout fails"),
  platform: text("Helpdesk of the recording, or the service's own app.", "zendesk"),
  ticket_id: nullableText("Id of the recording's ticket, conversation, issue or object; null for none.", "4711")
}).annotate({ identifier: "DeliveredRecording", description: "Recording of a delivery, as it is now." })

export const Delivery = Schema.Struct({
  id: id("delivery, which each attempt sends as `webhook-id`"),
  event: text("Event of the delivery.", "recording.added_to_folder"),
  test: flag("Whether the delivery is a send-test.", false),
  automation_id: Schema.NullOr(Schema.String).annotate({
    description: "Id of the automation, which may be deleted; null for audit entries.",
    examples: [exampleId]
  }),
  audit_destination_id: Schema.NullOr(Schema.String).annotate({
    description: "Id of the audit destination, which may be deleted; null for recordings.",
    examples: [null]
  }),
  state: DeliveryState,
  retry: Schema.optionalKey(count("Number of the next retry. Omitted unless the state is `waiting`.", 1)),
  recording_uuid: Schema.NullOr(Schema.String).annotate({
    description: "UUID of the event's recording; null for audit entries and send-tests.",
    format: "uuid",
    examples: [exampleId]
  }),
  recording: Schema.optionalKey(
    Schema.NullOr(DeliveredRecording).annotate({
      description:
        "The event's recording; null if there is none, or if it was deleted. Omitted in the responses to a send-test, a redelivery and a cancellation."
    })
  ),
  audit_entry_id: Schema.NullOr(Schema.Int).annotate({
    description: "Id of the event's audit entry; null for recordings.",
    examples: [null]
  }),
  redelivery_of: Schema.NullOr(Schema.String).annotate({
    description: "Id of the delivery that this one sends again; null for none.",
    examples: [null]
  }),
  body: text(
    "Payload, the same in each attempt. In lists, it is cut to 64 KiB.",
    '{"event":"recording.added_to_folder"}'
  ),
  error: Schema.NullOr(DeliveryError).annotate({
    description:
      "Reason why the delivery is `permanently_failed` without an attempt: the payload would exceed 1 MiB (`payload_too_large`), or the URL would be too long or have `.` or `..` as a path segment (`url_invalid`). `body` is empty then. Null for all other deliveries.",
    examples: [null]
  }),
  skipped: Schema.NullOr(Skip).annotate({
    description: "Reason why the delivery is in the state `skipped`, and its `body` is empty; null in other states.",
    examples: [null]
  }),
  body_truncated: flag("Whether `body` is cut.", false),
  created_at: dateTime("Time at which the delivery was created."),
  next_attempt_at: nullableDateTime(
    "Time at which the next attempt is due; null for none.",
    "2026-01-01T09:01:00.000Z"
  ),
  attempts: listOf(Attempt, "The attempts that have ended, in order.")
}).annotate({ identifier: "Delivery", description: "Webhook to a receiver, with the log of its attempts." })
export type Delivery = typeof Delivery.Type

export const DeliveryPage = Schema.Struct({
  pagination: CursorPagination,
  deliveries: listOf(Delivery, "The deliveries of this page, newest first.")
}).annotate({ identifier: "DeliveryPage", description: "A page of an execution log." })
export type DeliveryPage = typeof DeliveryPage.Type

const TestResult = DomainTestResult.annotate({
  identifier: "TestResult",
  description:
    "Result of the test. `success`: a 2xx status. `warning`: another status, with a body. `failed`: any other outcome.",
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
    skipped: null,
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
  description: "Result of a send-test. Send-tests are never retried.",
  examples: [sendTestExample]
})
export type SendTest = typeof SendTest.Type
