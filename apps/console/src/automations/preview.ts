import type { Settings } from "@tapedeck/client"
import {
  type AccountId,
  type AddedToFolder,
  defaultTemplate,
  type EventParts,
  type Instant,
  parseIso,
  Sharing,
  sampleEventParts,
  sampleRecording,
  type TemplateValues,
  type TemplateVariable,
  templateValues,
  templateVariables
} from "@tapedeck/domain"
import { parseUrlTemplate, renderUrl, urlVariables, withSampleValues } from "@tapedeck/domain/internal/receivers"
import { helpdeskLabels } from "@tapedeck/domain/internal/recordings"
import {
  parseTemplate,
  renderTemplate,
  type Template,
  type TemplateError,
  variablesOf
} from "@tapedeck/domain/template"
import * as Result from "effect/Result"
import { productPath } from "../api/mount.ts"

/** Context of a preview in addition to the recording. */
export interface PreviewContext {
  readonly folder: Pick<Settings.Folder, "id" | "name"> | undefined
  readonly account: { readonly id: number; readonly name: string }
  readonly now: string
}

/** A recording, and what is read separately; undefined: not read, because the template does not need it. */
export interface PreviewRecording {
  readonly recording: Settings.Recording
  readonly errors: Settings.RecordingErrors | undefined
  readonly transcript: Settings.Transcript | undefined
  readonly sharing: Settings.RecordingSharing | undefined
}

const sharings = Sharing.literals

const transcriptOf = (transcript: Settings.Transcript | undefined): EventParts["transcript"] =>
  transcript?.status === "ready"
    ? { language: transcript.language, text: transcript.segments.map(({ text }) => text.trim()).join(" ") }
    : null

const eventOf = (
  preview: PreviewRecording | undefined,
  at: Instant
): Pick<AddedToFolder, "recording" | "links" | "vendor"> & EventParts => {
  if (preview === undefined) {
    const recording = sampleRecording(1 as AccountId, at)
    return {
      recording,
      ...sampleEventParts,
      vendor: "",
      links: linksOf(`${location.origin}${productPath("/r/")}${recording.uuid}`)
    }
  }
  const { errors, recording, sharing, transcript } = preview
  const { customer, metadata } = recording
  return {
    recording: {
      ...recording,
      type: metadata.recording_type,
      helpdesk: helpdeskOf(metadata.helpdesk_info),
      customerEmail: customer.email,
      durationSeconds: metadata.duration,
      consoleLogs: null,
      createdAt: parseIso(metadata.created_at) ?? at,
      source: metadata.recording_source,
      sharing: sharings.find((one) => one === recording.sharing) ?? "off",
      isLogShared: sharing?.is_log_shared ?? false
    },
    // The platform of the service's own app is the vendor's name.
    vendor: metadata.helpdesk_info.platform,
    owner: recording.user,
    transcript: transcriptOf(transcript),
    errors: { consoleErrors: errors?.console_errors ?? [], networkErrors: errors?.network_errors ?? [] },
    links: linksOf(metadata.url)
  }
}

const platforms = Object.keys(helpdeskLabels) as ReadonlyArray<keyof typeof helpdeskLabels>

/** The links to a helpdesk, of which a template's variables are made. */
const helpdeskOf = (info: Settings.Recording["metadata"]["helpdesk_info"]): AddedToFolder["recording"]["helpdesk"] => ({
  platform: platforms.find((platform) => platform === info.platform) ?? "app",
  conversationId: info.conversation_id,
  ticketId: info.ticket_id,
  activeTicketId: info.active_ticket_id,
  userId: info.user_id,
  operatorId: info.operator_id,
  customerId: info.customer_id,
  issueId: info.issue_id,
  objectId: info.object_id
})

const linksOf = (url: string) => ({ url, videoUrl: `${url}/video`, thumbnailUrl: `${url}/thumbnail` })

/** Returns the values of the variables; without a recording, those of a send-test. */
export const valuesOf = (
  recording: PreviewRecording | undefined,
  { account, folder = { id: "", name: "" }, now }: PreviewContext
): TemplateValues => {
  const at = parseIso(now)!
  return templateValues({ ...eventOf(recording, at), account, folder, at })
}

export type ReadTemplate =
  | { readonly template: Template<TemplateVariable>; readonly errors: null }
  | { readonly template: null; readonly errors: ReadonlyArray<TemplateError> }

/** Reads a payload as the service does; null is the default payload. */
export const readTemplate = (payload: string | null): ReadTemplate => {
  if (payload === null) return { template: defaultTemplate, errors: null }
  const read = parseTemplate(payload, templateVariables)
  return Result.isSuccess(read) ? { template: read.success, errors: null } : { template: null, errors: read.failure }
}

/** Returns the body that would be sent, indented; null if it would exceed the size limit of a delivery. */
export const bodyOf = (template: Template<TemplateVariable>, values: TemplateValues): string | null => {
  const text = renderTemplate(template, values)
  return text === null ? null : indented(text)
}

const ticketIds = ["ticket_id", "active_ticket_id", "conversation_id", "issue_id", "object_id"]

/** Returns whether a send-test reaches the ticket of the sample recording. A template that cannot be read counts as one that does. */
export const isOnTicket = ({ payload, url }: Pick<Settings.Automation, "payload" | "url">): boolean => {
  const { template } = readTemplate(payload)
  const address = parseUrlTemplate(url)
  if (template === null || Result.isFailure(address)) return true
  const variables = [...variablesOf(template), ...urlVariables(address.success)]
  return variables.some((name) => ticketIds.some((id) => name === `recording.${id}`))
}

export const indented = (text: string): string => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

/** Returns the URL with these values, or what is wrong with its variables. */
export const urlOf = (
  url: string,
  values: TemplateValues
): { readonly problems: ReadonlyArray<string>; readonly url?: string } => {
  const read = parseUrlTemplate(url)
  if (Result.isFailure(read)) return { problems: read.failure }
  // The browser's own check of the field says that a text is no URL.
  if (!URL.canParse(withSampleValues(read.success))) return { problems: [] }
  const texts = Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === null ? [] : [[name, String(value)]]))
  )
  const rendered = renderUrl(read.success, texts)
  return "url" in rendered ? { problems: [], url: rendered.url } : { problems: [] }
}
