import {
  AccountId,
  FolderId,
  type Instant,
  noEventParts,
  SAMPLE_RECORDING_UUID,
  sampleRecording,
  templateValues,
  templateVariables,
  validateHeaders,
  validateWebhookUrl
} from "@tapedeck/domain"
import type { Report } from "@tapedeck/domain/input"
import { hasVariables, parseUrlTemplate, withSampleValues } from "@tapedeck/domain/internal/receivers"
import { noHelpdesk } from "@tapedeck/domain/internal/recordings"
import { parseTemplate, renderTemplate } from "@tapedeck/domain/template"
import { Result } from "effect"
import { recordingLinks } from "../recordings/links.ts"

/** The fields that every event has. */
const leastEvent = {
  recording: {
    ...sampleRecording(AccountId.make(1), 0 as Instant),
    title: null,
    summary: null,
    description: null,
    type: "",
    helpdesk: noHelpdesk,
    customerEmail: null,
    durationSeconds: null,
    browser: null,
    os: null,
    source: "",
    isLogShared: false,
    sharing: "off" as const
  },
  ...noEventParts,
  folder: { id: FolderId.make("f"), name: "" },
  account: { id: AccountId.make(1), name: "" },
  vendor: "",
  at: 0 as Instant
}

/** Permits plain HTTP for all webhooks or for some URLs: the emulator's exemption. The specification permits HTTPS only. */
export type AllowHttp = boolean | ((url: string) => boolean)

/** Reports what is wrong with a webhook's URL, but nothing of it: its query may hold a secret. */
export const checkUrl = (url: string, allowHttp: AllowHttp, report: Report) => {
  const checked = validateWebhookUrl(url, { allowHttp: allowHttp !== false })
  if (Result.isFailure(checked)) report([], checked.failure.message)
  else if (typeof allowHttp === "function" && new URL(url).protocol === "http:" && !allowHttp(url)) {
    report([], "must begin with https:// (http:// is for receivers on loopback and in allow_receivers)")
  }
}

/** Reports what is wrong with an automation's URL: its variables (T3), then the rest, as for any webhook. */
export const checkAutomationUrl = (url: string, allowHttp: AllowHttp, report: Report) => {
  if (!hasVariables(url)) return checkUrl(url, allowHttp, report)
  const parsed = parseUrlTemplate(url)
  if (Result.isSuccess(parsed)) return checkUrl(withSampleValues(parsed.success), allowHttp, report)
  for (const problem of parsed.failure) report([], problem)
}

/** Reports each custom header that cannot be (W8), below its name. */
export const checkHeaders = (headers: Readonly<Record<string, unknown>>, vendor: string, report: Report) => {
  const checked = validateHeaders(headers, vendor)
  if (Result.isSuccess(checked)) return
  for (const { header, message } of checked.failure) report([header], message)
}

/**
 * Reports what is wrong with a payload template, by line and column (W6), and one that is too large whatever the recording;
 * its links take room too, where `publicUrl` is known.
 */
export const checkTemplate = (template: string, report: Report, publicUrl = "") => {
  const parsed = parseTemplate(template, templateVariables)
  if (Result.isSuccess(parsed)) {
    const least = templateValues({ ...leastEvent, links: recordingLinks(publicUrl, SAMPLE_RECORDING_UUID) })
    if (renderTemplate(parsed.success, least) === null) report([], "gives more than 1 MiB, whatever the recording")
    return
  }
  for (const { column, line, message } of parsed.failure) report([], `line ${line}, column ${column}: ${message}`)
}
