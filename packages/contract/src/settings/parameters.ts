import {
  DeliveryStateName,
  AuditCategory as DomainAuditCategory,
  AuditEventType as DomainAuditEventType,
  AuditSeverity as DomainAuditSeverity,
  parseIso,
  parseRecordingUuid
} from "@tapedeck/domain"
import { Effect, Schema, SchemaIssue, SchemaTransformation } from "effect"
import { PageNumber } from "../wire/parameters.ts"

const page = { page: Schema.optionalKey(PageNumber) }

const oneOf = <const Values extends ReadonlyArray<string>>(
  literals: Schema.Literals<Values>,
  description: string,
  example: Values[number]
) => literals.annotate({ description, message: `must be one of ${literals.literals.join(", ")}`, examples: [example] })

const instant = (description: string) => {
  const message = "must be an ISO 8601 date and time such as 2026-01-01T09:00:00.000Z"
  return Schema.String.annotate({ description, format: "date-time", examples: ["2026-01-01T09:00:00.000Z"] }).check(
    Schema.makeFilter((text: string) => parseIso(text) !== undefined || message)
  )
}

const numericId = (description: string) =>
  Schema.String.annotate({ description, examples: ["1"] }).pipe(
    Schema.decodeTo(
      Schema.Int,
      SchemaTransformation.transformEffect({
        decode: (text: string) => {
          const number = /^[0-9]+$/.test(text) ? Number(text) : 0
          return Number.isSafeInteger(number) && number >= 1
            ? Effect.succeed(number)
            : Effect.fail(new SchemaIssue.InvalidValue({ message: "must be an integer of at least 1" }))
        },
        encode: (number: number) => Effect.succeed(String(number))
      })
    )
  )

/** What can be asked of a list of automations. */
export const AutomationQuery = Schema.Struct({
  ...page,
  folder_id: Schema.optionalKey(
    Schema.String.annotate({ description: "Only the automations of this folder.", examples: ["vip"] })
  )
})

/** The recording that a delivery is missed of. Any text decodes: one that names nothing is 404 (as R5). */
export const MissedRecordingQuery = Schema.Struct({
  recording: Schema.String.annotate({
    description: "UUID of the recording, in either case.",
    format: "uuid",
    examples: ["7d0f3c1e-5b0a-4c57-9d3e-2f1f6a8b9c10"]
  })
})

/** The audit entry that a delivery is missed of, likewise. */
export const MissedEntryQuery = Schema.Struct({
  audit_entry: Schema.String.annotate({ description: "Id of the audit entry.", examples: ["12"] })
})

const deliveryQuery = {
  ...page,
  state: Schema.optionalKey(oneOf(DeliveryStateName, "Only deliveries in this state.", "permanently_failed"))
}

/** What can be asked of an execution log. */
export const DeliveryQuery = Schema.Struct(deliveryQuery)

/** What can be asked of the deliveries of a recording. */
export const RecordingDeliveryQuery = Schema.Struct({
  ...deliveryQuery,
  recording_uuid: Schema.String.annotate({
    description: "UUID of the recording, in either case; also of one that is deleted.",
    format: "uuid",
    examples: ["7d0f3c1e-5b0a-4c57-9d3e-2f1f6a8b9c10"]
  }).check(Schema.makeFilter((text: string) => parseRecordingUuid(text) !== undefined || "must be a UUID"))
})

/** What can be asked of the audit log: all that is given must hold. */
export const AuditEntryQuery = Schema.Struct({
  ...page,
  category: Schema.optionalKey(oneOf(DomainAuditCategory, "Only this category.", "security")),
  event_type: Schema.optionalKey(oneOf(DomainAuditEventType, "Only this event type.", "user.role_changed")),
  severity: Schema.optionalKey(oneOf(DomainAuditSeverity, "Only this severity.", "high")),
  user: Schema.optionalKey(numericId("Only what the user with this id did.")),
  since: Schema.optionalKey(instant("From this instant on.")),
  until: Schema.optionalKey(instant("Before this instant."))
})

/** The header of a POST that can be repeated. What is malformed is refused before it is decoded here. */
export const idempotencyKey = {
  "idempotency-key": Schema.optionalKey(
    Schema.String.annotate({
      description:
        "Makes the request safe to repeat: 1 to 255 visible ASCII characters, new for each request, such as a UUID, with or without " +
        "double quotes around them. For 24 hours the same request with the same key gets the first answer again, with " +
        "`Idempotency-Replayed: true`, and nothing is done again.",
      examples: ["8e03978e-40d5-43dd-bc93-6894a57f9324"]
    })
  )
}
