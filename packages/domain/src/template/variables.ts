import type { Json } from "../json.ts"
import { FOLDER_EVENT } from "../receivers/Automation.ts"
import type { Recording, RecordingParts } from "../recordings/Recording.ts"
import { type Instant, toIso } from "../time.ts"
import { errorLines } from "./consoleErrors.ts"

/** The event of a folder automation: a recording was added to a folder. */
export interface AddedToFolder {
  readonly recording: Pick<
    Recording,
    "title" | "customerEmail" | "durationSeconds" | "browser" | "os" | "consoleLogs" | "createdAt"
  > & { readonly uuid: string }
  readonly errors: Pick<RecordingParts, "consoleErrors" | "networkErrors">
  readonly folder: { readonly id: string; readonly name: string }
  readonly account: { readonly id: number; readonly name: string }
  /** The public addresses; they depend on configuration, so the caller makes them. */
  readonly links: { readonly url: string; readonly videoUrl: string; readonly thumbnailUrl: string }
  readonly at: Instant
}

/** Type of a variable in the default payload, where a missing string is `""`, and a missing number null. */
type VariableType = "string" | "number" | "array"

interface Variable {
  readonly type: VariableType
  /** A noun phrase, for editors and documents. */
  readonly description: string
  /** Returns the variable's value; null if it is missing. */
  readonly read: (event: AddedToFolder) => Json
}

/** The one table of template variables: every leaf and array of the default payload under its own path, in the payload's order. */
const variables = {
  event: { type: "string", description: "Name of the event", read: () => FOLDER_EVENT },
  timestamp: { type: "string", description: "Time of the event, ISO 8601 in UTC", read: ({ at }) => toIso(at) },
  "recording.id": { type: "string", description: "UUID of the recording", read: ({ recording }) => recording.uuid },
  "recording.title": {
    type: "string",
    description: "Title of the recording, or none",
    read: ({ recording }) => recording.title
  },
  "recording.url": {
    type: "string",
    description: "Address of the recording's public page",
    read: ({ links }) => links.url
  },
  "recording.video_url": { type: "string", description: "Address of the video", read: ({ links }) => links.videoUrl },
  "recording.thumbnail_url": {
    type: "string",
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
    description: "Time of the recording, ISO 8601 in UTC",
    read: ({ recording }) => toIso(recording.createdAt)
  },
  "folder.id": { type: "string", description: "Id of the folder", read: ({ folder }) => folder.id },
  "folder.name": { type: "string", description: "Name of the folder", read: ({ folder }) => folder.name },
  "account.id": { type: "string", description: "Id of the account", read: ({ account }) => String(account.id) },
  "account.name": { type: "string", description: "Name of the account", read: ({ account }) => account.name }
} as const satisfies Readonly<Record<string, Variable>>

/** A name that a payload template may use, such as `recording.title`. */
export type TemplateVariable = keyof typeof variables

/** Every template variable, in the order of the default payload. */
export const templateVariables = Object.keys(variables) as ReadonlyArray<TemplateVariable>

/** The type of a variable in the default payload, and a noun phrase that says what it is. */
export const describeVariable = (
  name: TemplateVariable
): { readonly type: "string" | "number" | "array"; readonly description: string } => variables[name]

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
