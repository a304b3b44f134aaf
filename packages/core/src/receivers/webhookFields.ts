import { Effect } from "effect"
import type { AuditedField } from "../audit/audited.ts"
import { atMost, record, text } from "../input/fields.ts"
import { type Report, within } from "../input/problems.ts"
import { ServiceConfig } from "../ServiceConfig.ts"
import { checkHeaders, checkUrl } from "./webhookChecks.ts"

/** The mask of secret values in answers. No header can have it as its value (W8), so that sending it back means "unchanged". */
export const MASK = "••••••••"

type Headers = Readonly<Record<string, string>>

export const webhookUrl = text("Where to: HTTPS.").check(atMost(2048))

export const customHeaders = record(
  text("Its value."),
  "Custom headers. Those that the service sets itself are refused."
)

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

/** Reports the errors of a webhook's URL and custom headers (W8). */
export const checkWebhook = Effect.fnUntraced(function* (
  {
    headers,
    url
  }: { readonly url?: string | undefined; readonly headers?: Readonly<Record<string, unknown>> | undefined },
  present: Headers,
  report: Report
) {
  const { allowHttp, vendor } = yield* ServiceConfig
  if (typeof url === "string") checkUrl(url, allowHttp, within(report, "url"))
  if (headers === undefined) return
  const given = Object.fromEntries(Object.entries(headers).filter(([, value]) => typeof value === "string")) as Headers
  const known = unmasked(given, present)
  const reportHeader = within(report, "headers")
  const masked = Object.keys(known).filter((name) => known[name] === MASK)
  for (const name of masked) reportHeader([name], "is masked, and there is no such header yet: give its value")
  checkHeaders(
    Object.fromEntries(Object.entries(known).filter(([name]) => !masked.includes(name))),
    vendor,
    reportHeader
  )
})

/** Only the host, because paths and queries of webhooks often contain a secret. */
export const auditedUrl = (url: string): AuditedField => ({ value: url, shown: new URL(url).origin })

/** Only the names. */
export const auditedHeaders = (headers: Headers): AuditedField => ({ value: headers, shown: Object.keys(headers) })
