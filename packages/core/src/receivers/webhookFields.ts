import { type Report, within } from "@tapedeck/domain/input"
import { MASK } from "@tapedeck/domain/internal/receivers"
import { Effect } from "effect"
import type { AuditedField } from "../audit/audited.ts"
import { ServiceConfig } from "../ServiceConfig.ts"
import { checkHeaders, checkUrl } from "./webhookChecks.ts"

type Headers = Readonly<Record<string, string>>

/** Returns the received custom headers, with the stored values of those that were sent back masked. */
export const unmasked = (headers: Headers, present: Headers): Headers => {
  const values = new Map(Object.entries(present).map(([name, value]) => [name.toLowerCase(), value]))
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      value === MASK ? (values.get(name.toLowerCase()) ?? MASK) : value
    ])
  )
}

/** Returns whether a change of the URL sends to another scheme, host or port. */
const leadsElsewhere = (url: string | undefined, present: string): boolean =>
  url !== undefined && URL.canParse(url) && new URL(url).origin !== new URL(present).origin

/**
 * Reports the errors of a webhook's URL and custom headers (W8). Header values, which no user can read, stay with their host: a
 * change to the URL of another host must enter them again.
 */
export const checkWebhook = Effect.fnUntraced(function* (
  {
    headers,
    url
  }: { readonly url?: string | undefined; readonly headers?: Readonly<Record<string, unknown>> | undefined },
  present: { readonly url: string; readonly headers: Headers } | null,
  report: Report,
  check: typeof checkUrl = checkUrl
) {
  const { allowHttp, vendor } = yield* ServiceConfig
  if (typeof url === "string") check(url, allowHttp, within(report, "url"))
  const isElsewhere = present !== null && leadsElsewhere(url, present.url)
  if (headers === undefined) {
    if (!isElsewhere || Object.keys(present.headers).length === 0) return
    return report(["headers"], "must be given again with their values, because url leads to another host ({}: none)")
  }
  const given = Object.fromEntries(Object.entries(headers).filter(([, value]) => typeof value === "string")) as Headers
  const known = unmasked(given, present === null || isElsewhere ? {} : present.headers)
  const reportHeader = within(report, "headers")
  const masked = Object.keys(known).filter((name) => known[name] === MASK)
  const maskedProblem = isElsewhere
    ? "is masked, and url leads to another host: give its value again"
    : "is masked, and there is no such header yet: give its value"
  for (const name of masked) reportHeader([name], maskedProblem)
  checkHeaders(
    Object.fromEntries(Object.entries(known).filter(([name]) => !masked.includes(name))),
    vendor,
    reportHeader
  )
})

/** Shows only the origin of the URL, because paths and queries of webhooks often contain a secret. */
export const auditedUrl = (url: string): AuditedField => ({ value: url, shown: new URL(url).origin })

/** Shows only the names of the headers. */
export const auditedHeaders = (headers: Headers): AuditedField => ({ value: headers, shown: Object.keys(headers) })
