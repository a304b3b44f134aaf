import {
  AccountId,
  defaultVariables,
  describeVariable,
  FOLDER_EVENT,
  type Instant,
  sampleEventParts,
  sampleRecording,
  type TemplateValues,
  type TemplateVariable,
  templateValues
} from "@tapedeck/domain"
import { Schema } from "effect"
import { numericId } from "../settings/fields.ts"
import { AuditCategory, AuditEntry, AuditEventType, AuditSeverity } from "../settings/wire/AuditEntry.ts"
import { text } from "../wire/fields.ts"

/**
 * Payloads of webhooks. They are made when a document is, by functions, so that a bundle without documents does not have them.
 */

/** The values of the examples: those of an automation's send-tests, in a folder. */
const sampleValues = (): TemplateValues => {
  const at = Date.UTC(2026, 0, 1, 9) as Instant
  const account = { id: AccountId.make(1), name: "Acme" }
  const recording = sampleRecording(account.id, at)
  const url = `https://rec.acme.example/r/${recording.uuid}`
  return templateValues({
    recording,
    ...sampleEventParts,
    folder: { id: "vip", name: "VIP" },
    account,
    links: { url, videoUrl: `${url}/video`, thumbnailUrl: `${url}/thumbnail` },
    vendor: "Tapedeck",
    at
  })
}

/** Returns the schema of a variable in the default payload, where a missing string is `""` and a missing number null. */
const variableSchema = (name: TemplateVariable, samples: TemplateValues): Schema.Top => {
  const { description, format, type } = describeVariable(name)
  const annotations = {
    description: `${description}.`,
    // Of the variable's type, as the template renders it.
    examples: [samples[name] as never],
    ...(format !== undefined && { format })
  }
  switch (type) {
    case "string":
      return (name === "event" ? Schema.Literal(FOLDER_EVENT) : Schema.String).annotate(annotations)
    // The default payload has one number, the duration in seconds.
    case "number":
      return Schema.NullOr(Schema.Int).annotate(annotations)
    case "array":
      return Schema.Array(Schema.Json).annotate(annotations)
  }
}

const subjects = {
  recording: "The recording.",
  folder: "The folder to which the recording was added.",
  account: "The account of the recording."
} as const

/** The fields of the default payload: each variable at its path. */
const defaultFields = (): Schema.Struct.Fields => {
  const samples = sampleValues()
  const fields: Record<string, Schema.Top> = {}
  const ofSubjects: Record<string, Record<string, Schema.Top>> = {}
  for (const name of defaultVariables) {
    const [subject = name, key] = name.split(".")
    if (key === undefined) fields[subject] = variableSchema(name, samples)
    else {
      ofSubjects[subject] = { ...ofSubjects[subject], [key]: variableSchema(name, samples) }
      fields[subject] = Schema.Struct(ofSubjects[subject]).annotate({
        description: subjects[subject as keyof typeof subjects]
      })
    }
  }
  return fields
}

/** Returns the default payload of an automation, made of the variables that the default template has. */
export const recordingAddedToFolder = () =>
  Schema.Struct(defaultFields()).annotate({
    identifier: "RecordingAddedToFolder",
    description:
      'A recording was added to a folder. Every key is present: a missing string is `""`, a missing duration is null. ' +
      "The two lists of errors have at most 256 KiB together; a list that is longer ends with `…`."
  })

/** Returns the payload of an audit destination. */
export const auditLogEvent = () => {
  const { id, metadata, status, timestamp, user } = AuditEntry.fields
  return Schema.Struct({
    event: AuditEventType,
    event_category: AuditCategory,
    severity: AuditSeverity,
    timestamp,
    audit_log: Schema.Struct({
      id,
      event_type: AuditEventType,
      status,
      ip_address: text('IP address from which the request came; `""` if there is none.', "203.0.113.7"),
      user_agent: text('User agent of the request; `""` if there is none.', "Mozilla/5.0 (Macintosh)"),
      metadata
    }).annotate({ description: "The audit entry." }),
    user,
    account: Schema.Struct({
      id: numericId("account", 1),
      name: text("Name of the account.", "Acme")
    }).annotate({ description: "The account of the audit entry." })
  }).annotate({
    identifier: "AuditLogEvent",
    description:
      "An audit entry was written. Its `event` can be `recording.added_to_folder`, too: `audit_log` identifies it."
  })
}
