import type { Json } from "../json.ts"
import { FOLDER_EVENT } from "../receivers/Automation.ts"
import { activeTicketId, derivedSourceLabel, normalizedTicketId, platformOnWire } from "../recordings/helpdesk.ts"
import type { Recording, RecordingParts } from "../recordings/Recording.ts"
import { sharingOf } from "../recordings/sharing.ts"
import { type Instant, toIso } from "../time.ts"
import { errorLines } from "./consoleErrors.ts"
import { excerpt } from "./excerpt.ts"
import { firstErrorOf } from "./firstError.ts"

/** Maximum length of `recording.transcript_text`, in UTF-16 code units. */
export const MAX_TRANSCRIPT_TEXT_LENGTH = 4_000

/** Maximum length of the variable `recording.transcript_start`, in UTF-16 code units: about three lines of a note. */
const MAX_TRANSCRIPT_START_LENGTH = 300

/** The parts of an event that are read separately, and only if a template has a variable that needs them. */
export interface EventParts {
  readonly errors: Pick<RecordingParts, "consoleErrors" | "networkErrors">
  /** The owner of the recording; null for none. */
  readonly owner: { readonly email: string; readonly name: string } | null
  /** The transcript for readers: its language, and the start of its text, at least one code unit more than `MAX_TRANSCRIPT_TEXT_LENGTH` if it is longer. */
  readonly transcript: { readonly language: string | null; readonly text: string } | null
}

/** The parts of an event of which none was read. */
export const noEventParts: EventParts = {
  errors: { consoleErrors: null, networkErrors: null },
  owner: null,
  transcript: null
}

/** The event of a folder automation: a recording was added to a folder. */
export interface AddedToFolder extends EventParts {
  readonly recording: Pick<
    Recording,
    | "title"
    | "summary"
    | "description"
    | "helpdesk"
    | "customerEmail"
    | "durationSeconds"
    | "browser"
    | "os"
    | "consoleLogs"
    | "createdAt"
    | "source"
    | "sharing"
    | "isLogShared"
    | "redactions"
  > & { readonly uuid: string; readonly type: string }
  readonly folder: { readonly id: string; readonly name: string }
  readonly account: { readonly id: number; readonly name: string }
  /** The public addresses; they depend on configuration, so the caller makes them. */
  readonly links: { readonly url: string; readonly videoUrl: string; readonly thumbnailUrl: string }
  /** Name of the vendor, from which the platform and the source of the service's own app are derived. */
  readonly vendor: string
  readonly at: Instant
}

/** Type of a variable. In the default payload a missing string is `""`, and a missing number null. */
type VariableType = "string" | "number" | "array"

interface Variable {
  readonly type: VariableType
  /** Format of a string, as in JSON Schema. */
  readonly format?: "date-time" | "uri" | "uuid"
  /** A noun phrase, for editors and documents. */
  readonly description: string
  /** True if the default payload, which is specified, does not have the variable. */
  readonly isExtra?: true
  /** Part of the event that the value is read from; none if the recording has it. */
  readonly needs?: keyof EventParts
  /** Returns the variable's value; null if it is missing. */
  readonly read: (event: AddedToFolder) => Json
}

const extra = (description: string, read: (event: AddedToFolder) => string | null) =>
  ({ type: "string", description, isExtra: true, read }) as const

/** Without transcript, and until it is ready, its variables are missing. */
const ofTranscript = (
  description: string,
  read: (transcript: NonNullable<EventParts["transcript"]>) => string | null
) =>
  ({
    ...extra(description, ({ transcript }) => (transcript === null ? null : read(transcript))),
    needs: "transcript"
  }) as const

const ofOwner = (description: string, field: "email" | "name") =>
  ({ ...extra(description, ({ owner }) => owner?.[field] ?? null), needs: "owner" }) as const

/** The one table of template variables. Those of the default payload have their paths there as names, in the payload's order. */
const variables = {
  event: { type: "string", description: "Name of the event", read: () => FOLDER_EVENT },
  timestamp: {
    type: "string",
    format: "date-time",
    description: "Time of the event, ISO 8601 in UTC",
    read: ({ at }) => toIso(at)
  },
  "recording.id": {
    type: "string",
    format: "uuid",
    description: "UUID of the recording",
    read: ({ recording }) => recording.uuid
  },
  "recording.title": {
    type: "string",
    description: "Title of the recording, or none",
    read: ({ recording }) => recording.title
  },
  "recording.url": {
    type: "string",
    format: "uri",
    description: "Address of the recording's public page",
    read: ({ links }) => links.url
  },
  "recording.video_url": {
    type: "string",
    format: "uri",
    description: "Address of the video",
    read: ({ links }) => links.videoUrl
  },
  "recording.thumbnail_url": {
    type: "string",
    format: "uri",
    description: "Address of the still image",
    read: ({ links }) => links.thumbnailUrl
  },
  "recording.customer_email": {
    type: "string",
    description: "E-mail address of the customer, or none",
    read: ({ recording }) => recording.customerEmail
  },
  "recording.duration": {
    type: "number",
    description: "Length in seconds, or null",
    read: ({ recording }) => recording.durationSeconds
  },
  "recording.browser": {
    type: "string",
    description: "Browser on which the recording was made, or none",
    read: ({ recording }) => recording.browser
  },
  "recording.os": {
    type: "string",
    description: "Operating system on which the recording was made, or none",
    read: ({ recording }) => recording.os
  },
  "recording.console_errors": {
    type: "array",
    description: "Console errors of the recorded page",
    needs: "errors",
    read: ({ errors, recording }) => consoleErrorsOf(errors, recording)
  },
  "recording.network_errors": {
    type: "array",
    description: "Network errors of the recorded page",
    needs: "errors",
    read: ({ errors }) => errors.networkErrors ?? []
  },
  "recording.created_at": {
    type: "string",
    format: "date-time",
    description: "Time of the recording, ISO 8601 in UTC",
    read: ({ recording }) => toIso(recording.createdAt)
  },
  "folder.id": { type: "string", description: "Id of the folder", read: ({ folder }) => folder.id },
  "folder.name": { type: "string", description: "Name of the folder", read: ({ folder }) => folder.name },
  "account.id": { type: "string", description: "Id of the account", read: ({ account }) => String(account.id) },
  "account.name": { type: "string", description: "Name of the account", read: ({ account }) => account.name },
  "recording.summary": extra("Summary of the recording, or none", ({ recording }) => recording.summary),
  "recording.description": extra("Description of the recording, or none", ({ recording }) => recording.description),
  "recording.type": extra("Type of the recording", ({ recording }) => recording.type),
  "recording.ticket_id": extra("Id of the helpdesk's ticket, conversation or issue, or none", ({ recording }) =>
    normalizedTicketId(recording.helpdesk)
  ),
  "recording.active_ticket_id": extra("Id of the ticket's follow-up in Zendesk, or none", ({ recording }) =>
    activeTicketId(recording.helpdesk)
  ),
  "recording.conversation_id": extra(
    "Id of the conversation, or none",
    ({ recording }) => recording.helpdesk.conversationId
  ),
  "recording.issue_id": extra("Id of the issue, or none", ({ recording }) => recording.helpdesk.issueId),
  "recording.object_id": extra("Id of the CRM object, or none", ({ recording }) => recording.helpdesk.objectId),
  "recording.customer_id": extra(
    "Id of the customer in the helpdesk, or none",
    ({ recording }) => recording.helpdesk.customerId
  ),
  "recording.source": extra(
    "Label of the recording's source, such as `Zendesk ticket`",
    ({ recording, vendor }) => recording.source ?? derivedSourceLabel(recording.helpdesk, vendor)
  ),
  "recording.platform": extra("Helpdesk of the recording, such as `zendesk`", ({ recording, vendor }) =>
    platformOnWire(recording.helpdesk.platform, vendor)
  ),
  "recording.user_email": ofOwner("E-mail address of the recording's owner, or none", "email"),
  "recording.user_name": ofOwner("Name of the recording's owner, or none", "name"),
  "recording.transcript_text": ofTranscript(
    `Text of the transcript, or none: at most ${MAX_TRANSCRIPT_TEXT_LENGTH} characters, cut at the end of a sentence or word, then \`…\``,
    ({ text }) => (text === "" ? null : excerpt(text, MAX_TRANSCRIPT_TEXT_LENGTH))
  ),
  "recording.transcript_start": ofTranscript(
    `Start of the transcript for a note, or none: at most ${MAX_TRANSCRIPT_START_LENGTH} characters, cut as \`transcript_text\``,
    ({ text }) => (text === "" ? null : excerpt(text, MAX_TRANSCRIPT_START_LENGTH))
  ),
  "recording.transcript_language": ofTranscript(
    "Language of the transcript as a BCP 47 code, or none",
    ({ language }) => language
  ),
  "recording.first_error": {
    ...extra(
      "First console error, or else first network error, or none; at most 500 characters",
      ({ errors, recording }) => firstErrorOf(consoleErrorsOf(errors, recording), errors.networkErrors ?? [])
    ),
    needs: "errors"
  },
  "recording.errors_count": {
    type: "number",
    description: "Number of console and network errors",
    isExtra: true,
    needs: "errors",
    read: ({ errors, recording }) => consoleErrorsOf(errors, recording).length + (errors.networkErrors ?? []).length
  },
  "recording.log_url": {
    ...extra(
      "Address of the recording's log, or none: without a log, and unless the public page shows it",
      ({ links, recording }) =>
        recording.redactions !== undefined && recording.isLogShared === true ? `${links.url}/log` : null
    ),
    format: "uri"
  },
  "recording.embed_url": {
    ...extra(
      "Address of the recording's player for embedding, or none: unless the recording is public",
      ({ links, recording }) => (sharingOf(recording) === "public" ? `${links.url}/embed` : null)
    ),
    format: "uri"
  }
} as const satisfies Readonly<Record<string, Variable>>

/** A name that a payload template may use, such as `recording.title`. */
export type TemplateVariable = keyof typeof variables

/** Every template variable: those of the default payload in its order, then the others. */
export const templateVariables = Object.keys(variables) as ReadonlyArray<TemplateVariable>

/** The variables of the default payload, in its order. */
export const defaultVariables: ReadonlyArray<TemplateVariable> = templateVariables.filter(
  (name) => !("isExtra" in variables[name])
)

/** Returns the type of a variable, a noun phrase that says what it is, and the format of a string that has one. */
export const describeVariable = (
  name: TemplateVariable
): {
  readonly type: "string" | "number" | "array"
  readonly format?: "date-time" | "uri" | "uuid"
  readonly description: string
} => variables[name]

/** The value of each variable; null: missing. */
export type TemplateValues = Readonly<Record<TemplateVariable, Json>>

/** Returns the values of these variables; the others are null. */
export const templateValues = (
  event: AddedToFolder,
  names: ReadonlySet<TemplateVariable> = new Set(templateVariables)
): TemplateValues => {
  const values: Partial<Record<TemplateVariable, Json>> = {}
  for (const name of templateVariables) values[name] = names.has(name) ? variables[name].read(event) : null
  return values as TemplateValues
}

/** Returns the parts of an event that the values of these variables are read from. */
export const neededParts = (names: Iterable<TemplateVariable>): ReadonlySet<keyof EventParts> => {
  const needed = new Set<keyof EventParts>()
  for (const name of names) {
    const { needs }: Variable = variables[name]
    if (needs !== undefined) needed.add(needs)
  }
  return needed
}

/** `console_errors`: those given, else the error lines of the console output. */
export const consoleErrorsOf = (
  { consoleErrors }: Pick<RecordingParts, "consoleErrors">,
  { consoleLogs }: Pick<Recording, "consoleLogs">
): ReadonlyArray<Json> => consoleErrors ?? (consoleLogs === null ? [] : errorLines(consoleLogs))
