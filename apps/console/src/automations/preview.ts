import type { Json, Settings } from "@tapedeck/client"
import { defaultTemplate, type TemplateValues, type TemplateVariable, templateVariables } from "@tapedeck/domain"
import { parseTemplate, renderTemplate, type Template, type TemplateError } from "@tapedeck/domain/template"
import * as Result from "effect/Result"
import { productPath } from "../api/host.ts"

/** Context of a preview in addition to the recording. */
export interface PreviewContext {
  readonly folder: Pick<Settings.Folder, "id" | "name"> | undefined
  readonly account: { readonly id: number; readonly name: string }
  readonly now: string
}

/** A recording, and the errors that are read for it alone. */
export interface PreviewRecording {
  readonly recording: Settings.Recording
  readonly errors: Settings.RecordingErrors | undefined
}

const partsOf = ({ errors, recording }: PreviewRecording) => ({
  "recording.id": recording.uuid,
  "recording.title": recording.title,
  "recording.url": recording.metadata.url,
  "recording.video_url": `${recording.metadata.url}/video`,
  "recording.thumbnail_url": `${recording.metadata.url}/thumbnail`,
  "recording.customer_email": recording.customer.email,
  "recording.duration": recording.metadata.duration,
  "recording.browser": recording.browser,
  "recording.os": recording.os,
  "recording.console_errors": errors?.console_errors ?? [],
  "recording.network_errors": errors?.network_errors ?? [],
  "recording.created_at": recording.metadata.created_at
})

const sampleUuid = "00000000-0000-0000-0000-000000000000"

/** As `domain`'s sample, which a send-test tells of. */
const sampleParts = (now: string) => {
  const url = `${location.origin}${productPath("/r/")}${sampleUuid}`
  return {
    "recording.id": sampleUuid,
    "recording.title": "Sample recording",
    "recording.url": url,
    "recording.video_url": `${url}/video`,
    "recording.thumbnail_url": `${url}/thumbnail`,
    "recording.customer_email": "customer@example.com",
    "recording.duration": 42,
    "recording.browser": "Firefox 140",
    "recording.os": "Linux",
    "recording.console_errors": ["TypeError: x is null"],
    "recording.network_errors": [{ method: "GET", url: "https://shop.example.com/api/cart", status: 503 }],
    "recording.created_at": now
  } satisfies Record<string, Json>
}

export const valuesOf = (
  recording: PreviewRecording | undefined,
  { account, folder, now }: PreviewContext
): TemplateValues => ({
  event: "recording.added_to_folder",
  timestamp: now,
  ...(recording === undefined ? sampleParts(now) : partsOf(recording)),
  "folder.id": folder?.id ?? null,
  "folder.name": folder?.name ?? null,
  "account.id": String(account.id),
  "account.name": account.name
})

export type ReadTemplate =
  | { readonly template: Template<TemplateVariable>; readonly errors: null }
  | { readonly template: null; readonly errors: ReadonlyArray<TemplateError> }

/** Reads a payload as the service does; null is the default payload. */
export const readTemplate = (payload: string | null): ReadTemplate => {
  if (payload === null) return { template: defaultTemplate, errors: null }
  const read = parseTemplate(payload, templateVariables)
  return Result.isSuccess(read) ? { template: read.success, errors: null } : { template: null, errors: read.failure }
}

/** The body that would be sent, indented; null where it would be larger than a delivery may be. */
export const bodyOf = (template: Template<TemplateVariable>, values: TemplateValues): string | null => {
  const text = renderTemplate(template, values)
  return text === null ? null : indented(text)
}

export const indented = (text: string): string => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

/** Stands for a placeholder while JSON is indented; no payload holds it. */
const mark = "\u0001"

/** The default payload as one would write it. */
export const defaultPayload: string = (() => {
  const text = defaultTemplate.parts
    .map((part) => {
      if (typeof part === "string") return part
      return part.inString ? `{{${part.variable}}}` : `"\\u0001${part.variable}"`
    })
    .join("")
  return JSON.stringify(JSON.parse(text), null, 2)
    .replace(/"\\u0001([\w.]+)"/g, "{{$1}}")
    .replaceAll(mark, "")
})()
