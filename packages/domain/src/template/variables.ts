import type { Json } from "../json.ts"
import { FOLDER_EVENT } from "../receivers/Automation.ts"
import { activeTicketId, normalizedTicketId } from "../recordings/helpdesk.ts"
import type { Recording, RecordingParts } from "../recordings/Recording.ts"
import { type Instant, toIso } from "../time.ts"
import { errorLines } from "./consoleErrors.ts"

/** The event of a folder automation: a recording was added to a folder. */
export interface AddedToFolder {
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
  > & { readonly uuid: string; readonly type: string }
  readonly errors: Pick<RecordingParts, "consoleErrors" | "networkErrors">
  readonly folder: { readonly id: string; readonly name: string }
  readonly account: { readonly id: number; readonly name: string }
  /** The public addresses; they depend on configuration, so the caller makes them. */
  readonly links: { readonly url: string; readonly videoUrl: string; readonly thumbnailUrl: string }
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
  /** Returns the variable's value; null if it is missing. */
  readonly read: (event: AddedToFolder) => Json
}

const extra = (description: string, read: (event: AddedToFolder) => string | null) =>
  ({ type: "string", description, isExtra: true, read }) as const

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
    read: ({ errors, recording }) => consoleErrorsOf(errors, recording)
  },
  "recording.network_errors": {
    type: "array",
    description: "Network errors of the recorded page",
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
  )
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

export const templateValues = (event: AddedToFolder): TemplateValues => {
  const values: Partial<Record<TemplateVariable, Json>> = {}
  for (const name of templateVariables) values[name] = variables[name].read(event)
  return values as TemplateValues
}

/** `console_errors`: those given, else the error lines of the console output. */
export const consoleErrorsOf = (
  { consoleErrors }: Pick<RecordingParts, "consoleErrors">,
  { consoleLogs }: Pick<Recording, "consoleLogs">
): ReadonlyArray<Json> => consoleErrors ?? (consoleLogs === null ? [] : errorLines(consoleLogs))
