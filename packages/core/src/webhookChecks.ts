import { parseTemplate, validateHeaders, validateWebhookUrl } from "@tapedeck/domain"
import { Context, Result } from "effect"
import type { Report } from "./startDocument/problems.ts"

/** Whether a webhook may go by plain HTTP, or to which URLs: the emulator's exemption. The specification says HTTPS only. */
export type AllowHttp = boolean | ((url: string) => boolean)

/** What the settings ask of a webhook's URL. */
export const WebhookRules = Context.Reference<{ readonly allowHttp: AllowHttp }>("@tapedeck/core/WebhookRules", {
  defaultValue: () => ({ allowHttp: false })
})

/** Reports what is wrong with a webhook's URL, but nothing of it: its query may hold a secret. */
export const checkUrl = (url: string, allowHttp: AllowHttp, report: Report) => {
  const checked = validateWebhookUrl(url, { allowHttp: allowHttp !== false })
  if (Result.isFailure(checked)) report([], checked.failure.message)
  else if (typeof allowHttp === "function" && new URL(url).protocol === "http:" && !allowHttp(url)) {
    report([], "must begin with https:// (http:// is for receivers on loopback and in allow_receivers)")
  }
}

/** Reports each custom header that cannot be (W8), below its name. */
export const checkHeaders = (headers: Readonly<Record<string, unknown>>, vendor: string, report: Report) => {
  const checked = validateHeaders(headers, vendor)
  if (Result.isSuccess(checked)) return
  for (const { header, message } of checked.failure) report([header], message)
}

/** Reports what is wrong with a payload template, by line and column (W6). */
export const checkTemplate = (template: string, report: Report) => {
  const parsed = parseTemplate(template)
  if (Result.isSuccess(parsed)) return
  for (const { column, line, message } of parsed.failure) report([], `line ${line}, column ${column}: ${message}`)
}
