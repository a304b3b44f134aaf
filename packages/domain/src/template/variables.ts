import type { Json } from "../json.ts"
import type { Account } from "../people/Account.ts"
import { FOLDER_EVENT, type Folder } from "../receivers/Automation.ts"
import type { Recording, RecordingParts } from "../recordings/Recording.ts"
import { type Instant, toIso } from "../time.ts"
import { errorLines } from "./consoleErrors.ts"

/** The event of a folder automation: a recording was added to a folder. */
export interface AddedToFolder {
  readonly recording: Recording
  readonly errors: Pick<RecordingParts, "consoleErrors" | "networkErrors">
  readonly folder: Pick<Folder, "id" | "name">
  readonly account: Pick<Account, "id" | "name">
  /** The public addresses; they depend on configuration, so the caller makes them. */
  readonly links: { readonly url: string; readonly videoUrl: string; readonly thumbnailUrl: string }
  readonly at: Instant
}

/** Every leaf and array of the default payload under its own path, in the payload's order. Null: missing. */
const variables = {
  event: () => FOLDER_EVENT,
  timestamp: ({ at }: AddedToFolder) => toIso(at),
  "recording.id": ({ recording }: AddedToFolder) => recording.uuid,
  "recording.title": ({ recording }: AddedToFolder) => recording.title,
  "recording.url": ({ links }: AddedToFolder) => links.url,
  "recording.video_url": ({ links }: AddedToFolder) => links.videoUrl,
  "recording.thumbnail_url": ({ links }: AddedToFolder) => links.thumbnailUrl,
  "recording.customer_email": ({ recording }: AddedToFolder) => recording.customerEmail,
  "recording.duration": ({ recording }: AddedToFolder) => recording.durationSeconds,
  "recording.browser": ({ recording }: AddedToFolder) => recording.browser,
  "recording.os": ({ recording }: AddedToFolder) => recording.os,
  "recording.console_errors": ({ errors, recording }: AddedToFolder) => consoleErrorsOf(errors, recording),
  "recording.network_errors": ({ errors }: AddedToFolder) => errors.networkErrors ?? [],
  "recording.created_at": ({ recording }: AddedToFolder) => toIso(recording.createdAt),
  "folder.id": ({ folder }: AddedToFolder) => folder.id,
  "folder.name": ({ folder }: AddedToFolder) => folder.name,
  "account.id": ({ account }: AddedToFolder) => String(account.id),
  "account.name": ({ account }: AddedToFolder) => account.name
} satisfies Readonly<Record<string, (event: AddedToFolder) => Json>>

/** A name that a payload template may use, such as `recording.title`. */
export type TemplateVariable = keyof typeof variables

/** Every template variable, in the order of the default payload. */
export const templateVariables = Object.keys(variables) as ReadonlyArray<TemplateVariable>

/** The value of each variable; null: missing. */
export type TemplateValues = Readonly<Record<TemplateVariable, Json>>

export const templateValues = (event: AddedToFolder): TemplateValues => {
  const values: Partial<Record<TemplateVariable, Json>> = {}
  for (const name of templateVariables) values[name] = variables[name](event)
  return values as TemplateValues
}

/** `console_errors`: those given, else the error lines of the console output. */
export const consoleErrorsOf = (
  { consoleErrors }: Pick<RecordingParts, "consoleErrors">,
  { consoleLogs }: Pick<Recording, "consoleLogs">
): ReadonlyArray<Json> => consoleErrors ?? (consoleLogs === null ? [] : errorLines(consoleLogs))
