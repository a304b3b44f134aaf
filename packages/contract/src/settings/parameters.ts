import {
  DeliveryStateName,
  Platform as DomainPlatform,
  RecordingType as DomainRecordingType,
  parseIso,
  parseRecordingUuid
} from "@tapedeck/domain"
import {
  AuditCategory as DomainAuditCategory,
  AuditEventType as DomainAuditEventType,
  AuditSeverity as DomainAuditSeverity
} from "@tapedeck/domain/audit"
import {
  MAX_LISTED_UUIDS,
  MAX_SPOKEN_CHARACTERS,
  MAX_SPOKEN_TOKENS,
  recordingOrders
} from "@tapedeck/domain/internal/recordings"
import { Effect, Schema, SchemaIssue, SchemaTransformation } from "effect"
import { PageNumber, RecordingQuery as RecordingQueryV2 } from "../wire/parameters.ts"

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

const positive = (description: string, example: string, max = Number.MAX_SAFE_INTEGER) => {
  const message =
    max === Number.MAX_SAFE_INTEGER ? "must be an integer of at least 1" : `must be an integer from 1 to ${max}`
  return Schema.String.annotate({ description, examples: [example] }).pipe(
    Schema.decodeTo(
      Schema.Int,
      SchemaTransformation.transformEffect({
        decode: (text: string) => {
          const number = /^[0-9]+$/.test(text) ? Number(text) : 0
          return number >= 1 && number <= max
            ? Effect.succeed(number)
            : Effect.fail(new SchemaIssue.InvalidValue({ message }))
        },
        encode: (number: number) => Effect.succeed(String(number))
      })
    )
  )
}

const numericId = (description: string) => positive(description, "1")

/** Position at which a list that is read by cursor continues. */
const cursor = {
  cursor: Schema.optionalKey(
    Schema.String.annotate({
      description: "`next_cursor` of the previous page, with the same filters and `sort`.",
      examples: ["WyJyZWNvcmRpbmdzIC1jcmVhdGVkX2F0IiwxNzY3MjU4MDAwMDAwLDQyXQ"],
      maxLength: 1_000
    }).check(
      Schema.makeFilter((text: string) => /^[\w-]{1,1000}$/.test(text) || "must be the next_cursor of another page")
    )
  )
}

/** Maximum length of a search, in characters. Percent-encoded, it fits into a request's target. */
const maxSearchLength = 500

const search = Schema.String.annotate({
  description:
    "Only recordings that match each word of this text. A word matches the start of a word in the title, the summary, the description, " +
    "the customer's e-mail address, the ticket (`Zendesk 4711`), the transcript or the owner's name, or the start of the owner's e-mail " +
    "address (of the first 100 owners that match). In scripts without spaces, such as Japanese, it matches anywhere. Case and accents are " +
    'ignored. Text in double quotes is a phrase: whole words, each after the one before (`"card declined"`); it does not match owners. ' +
    "Only the first ten words count; a text without letters and digits finds nothing. A UUID, alone or in an address of the service, finds " +
    `its recording. A transcript is searched up to ${MAX_SPOKEN_TOKENS} different words and pairs of neighbouring words, in its first ` +
    `${MAX_SPOKEN_CHARACTERS} characters: more than an hour of speech. 1 to 500 characters.`,
  examples: ["checkout saf"],
  maxLength: maxSearchLength
}).check(
  Schema.makeFilter(
    (text: string) =>
      (text.length >= 1 && text.length <= maxSearchLength) || `must have 1 to ${maxSearchLength} characters`
  )
)

/** Query parameters with which a list of recordings is read by cursor. */
const recordingFilters = {
  search: Schema.optionalKey(search),
  type: Schema.optionalKey(oneOf(DomainRecordingType, "Only recordings of this type.", "Received")),
  platform: Schema.optionalKey(
    oneOf(DomainPlatform, "Only recordings of this helpdesk; `app` for the service's own app.", "zendesk")
  ),
  folder_id: Schema.optionalKey(
    Schema.String.check(Schema.isNonEmpty({ message: "must not be empty" })).annotate({
      description: "Only recordings in this folder.",
      examples: ["vip"]
    })
  ),
  owner: Schema.optionalKey(numericId("Only recordings of the user with this id.")),
  since: Schema.optionalKey(instant("Only recordings that were made at or after this instant.")),
  until: Schema.optionalKey(instant("Only recordings that were made before this instant.")),
  sort: Schema.optionalKey(
    oneOf(
      Schema.Literals(recordingOrders),
      "Order of the list; `-` is descending. Default: `-created_at`. Titles are compared by their words, without case and accents. A " +
        "recording without a duration is shorter than all others.",
      "-created_at"
    )
  ),
  items: Schema.optionalKey(
    positive(
      "Maximum number of recordings of a page, from 1 to 100. Defaults to the server's page size, which is also the maximum.",
      "6",
      100
    )
  ),
  ...cursor
}

const uuids = Schema.String.annotate({
  description:
    `UUIDs of the recordings to list, separated by commas, at most ${MAX_LISTED_UUIDS}, in any order. Recordings that do not exist, or that ` +
    "the caller may not see, are omitted. Cannot be combined with other parameters.",
  examples: ["7d0f3c1e-5b0a-4c57-9d3e-2f1f6a8b9c10"],
  maxLength: MAX_LISTED_UUIDS * 37 - 1
}).check(
  Schema.makeFilter((text: string) => {
    if (text.length >= MAX_LISTED_UUIDS * 37) return `must have at most ${MAX_LISTED_UUIDS} UUIDs`
    return (
      text.split(",").every((uuid) => parseRecordingUuid(uuid) !== undefined) || "must be UUIDs, separated by commas"
    )
  })
)

/** Position after which changes of recordings are listed; empty for the first list. */
const updatedSince = Schema.String.annotate({
  description:
    "Lists what changed after an earlier response: its `next_since`. An empty value lists all recordings. Cannot be combined with other " +
    "parameters.",
  examples: ["WyJyZWNvcmRpbmcgY2hhbmdlcyIsIjEiXQ"],
  maxLength: 1_000
}).check(
  Schema.makeFilter(
    (text: string) => /^[\w-]{0,1000}$/.test(text) || "must be empty, or the next_since of an earlier answer"
  )
)

/** Query parameters of the list of recordings: a page by number, as in v2; filters with a cursor; UUIDs; or changes. */
export const RecordingQuery = Schema.Struct({
  ...RecordingQueryV2.fields,
  ...recordingFilters,
  uuids: Schema.optionalKey(uuids),
  updated_since: Schema.optionalKey(updatedSince)
}).check(
  Schema.makeFilter((query) => {
    const alone = (["updated_since", "uuids"] as const).find((name) => query[name] !== undefined)
    const other = Object.keys(query).find((name) => name !== alone)
    if (alone !== undefined && other !== undefined) {
      return { path: [alone], issue: `does not go together with ${other}` }
    }
    if (query.provider !== undefined && query.ticket_id === undefined) {
      return { path: ["provider"], issue: "needs a ticket_id" }
    }
    const filter = Object.keys(recordingFilters).find((name) => name in query)
    const byPage = (["page", "ticket_id"] as const).find((name) => query[name] !== undefined)
    return filter === undefined || byPage === undefined
      ? undefined
      : { path: [byPage], issue: `does not go together with ${filter}: use cursor, and search for a ticket` }
  })
)

/** Query parameters of the list of automations. */
export const AutomationQuery = Schema.Struct({
  ...page,
  folder_id: Schema.optionalKey(
    Schema.String.annotate({ description: "Only the automations of this folder.", examples: ["vip"] })
  )
})

/** Query parameters of an automation's explanation: the recording whose delivery is missing. Any text decodes; an unknown one is 404. */
export const MissedRecordingQuery = Schema.Struct({
  recording: Schema.String.annotate({
    description: "UUID of the recording, case-insensitive.",
    format: "uuid",
    examples: ["7d0f3c1e-5b0a-4c57-9d3e-2f1f6a8b9c10"]
  })
})

/** Query parameters of an audit destination's explanation: the audit entry whose delivery is missing. Any text decodes, too. */
export const MissedEntryQuery = Schema.Struct({
  audit_entry: Schema.String.annotate({ description: "Id of the audit entry.", examples: ["12"] })
})

const statusCode = Schema.String.annotate({
  description: "Only deliveries with an attempt whose response had this status.",
  examples: ["503"]
}).pipe(
  Schema.decodeTo(
    Schema.Int,
    SchemaTransformation.transformEffect({
      decode: (text: string) =>
        /^[1-5][0-9][0-9]$/.test(text)
          ? Effect.succeed(Number(text))
          : Effect.fail(new SchemaIssue.InvalidValue({ message: "must be an HTTP status from 100 to 599" })),
      encode: (code: number) => Effect.succeed(String(code))
    })
  )
)

/** Maximum length of a filter's event name or id, in characters. */
const maxNameLength = 255

const shortText = (description: string, example: string) =>
  Schema.String.annotate({ description, examples: [example], maxLength: maxNameLength }).check(
    Schema.makeFilter(
      (text: string) =>
        (text.length > 0 && text.length <= maxNameLength) || `must have 1 to ${maxNameLength} characters`
    )
  )

const recordingUuid = Schema.String.annotate({
  description: "Only deliveries of the recording with this UUID, case-insensitive. The recording may be deleted.",
  format: "uuid",
  examples: ["7d0f3c1e-5b0a-4c57-9d3e-2f1f6a8b9c10"]
}).check(Schema.makeFilter((text: string) => parseRecordingUuid(text) !== undefined || "must be a UUID"))

const deliveryQuery = {
  state: Schema.optionalKey(oneOf(DeliveryStateName, "Only deliveries in this state.", "permanently_failed")),
  recording_uuid: Schema.optionalKey(recordingUuid),
  event: Schema.optionalKey(shortText("Only deliveries of this event.", "recording.added_to_folder")),
  status_code: Schema.optionalKey(statusCode),
  since: Schema.optionalKey(instant("Only deliveries that were created at or after this instant.")),
  until: Schema.optionalKey(instant("Only deliveries that were created before this instant.")),
  ...cursor
}

/** Query parameters of an execution log, which must all match. */
export const DeliveryQuery = Schema.Struct(deliveryQuery)

/** Query parameters of the list of deliveries. */
export const AccountDeliveryQuery = Schema.Struct({
  ...deliveryQuery,
  automation_id: Schema.optionalKey(
    shortText("Only deliveries of this automation, which may be deleted.", "vip-to-crm")
  ),
  audit_destination_id: Schema.optionalKey(
    shortText("Only deliveries to this audit destination, which may be deleted.", "siem")
  )
})

/** Query parameters of the counters of attempts. */
export const StatisticsQuery = Schema.Struct({
  interval: Schema.optionalKey(
    oneOf(Schema.Literals(["hour", "day"]), "Length of an interval. Days are in UTC. Default: `hour`.", "hour")
  ),
  since: Schema.optionalKey(
    instant(
      "Start of the period: at most 31 days before `until` by hour, 90 days by day. Default: one day before `until`."
    )
  ),
  until: Schema.optionalKey(instant("End of the period. Default: now.")),
  automation_id: Schema.optionalKey(shortText("Only attempts of this automation.", "vip-to-crm")),
  audit_destination_id: Schema.optionalKey(shortText("Only attempts to this audit destination.", "siem"))
}).check(
  Schema.makeFilter(({ audit_destination_id, automation_id }) =>
    automation_id === undefined || audit_destination_id === undefined
      ? undefined
      : { path: ["audit_destination_id"], issue: "does not go together with automation_id" }
  )
)

/** Query parameters of the audit log, which must all match. */
export const AuditEntryQuery = Schema.Struct({
  ...page,
  category: Schema.optionalKey(oneOf(DomainAuditCategory, "Only entries of this category.", "security")),
  event_type: Schema.optionalKey(oneOf(DomainAuditEventType, "Only entries of this event type.", "user.role_changed")),
  severity: Schema.optionalKey(oneOf(DomainAuditSeverity, "Only entries of this severity.", "high")),
  user: Schema.optionalKey(numericId("Only actions of the user with this id.")),
  target_id: Schema.optionalKey(
    shortText(
      `Only entries about the recording, user or other object with this id (\`metadata.target_id\`). 1 to ${maxNameLength} characters.`,
      "7d0f3c1e-5b0a-4c57-9d3e-2f1f6a8b9c10"
    )
  ),
  since: Schema.optionalKey(instant("Only entries at or after this instant.")),
  until: Schema.optionalKey(instant("Only entries before this instant."))
})

/** The header of a POST that can be repeated. A malformed value is refused before it is decoded here. */
export const idempotencyKey = {
  "idempotency-key": Schema.optionalKey(
    Schema.String.annotate({
      description:
        "Key that makes the request safe to repeat: 1 to 255 visible ASCII characters, new for each request, such as a UUID, optionally in " +
        "double quotes. For 24 hours, the same request with the same key gets the first response again, with `Idempotency-Replayed: true`, and " +
        "has no further effect.",
      examples: ["8e03978e-40d5-43dd-bc93-6894a57f9324"]
    })
  )
}
