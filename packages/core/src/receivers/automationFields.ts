import { type Automation, WebhookMethod } from "@tapedeck/domain"
import { flag, object, oneOf, optional, secret, textId } from "@tapedeck/domain/input"
import { Schema } from "effect"
import { type AuditedField, shown } from "../audit/audited.ts"
import { auditedHeaders, auditedUrl, customHeaders, webhookUrl } from "./webhookFields.ts"

const required = { folder_id: textId("Id of the folder."), url: webhookUrl }

const others = {
  method: oneOf(WebhookMethod.literals, "Default: `POST`."),
  headers: customHeaders,
  payload: Schema.NullOr(Schema.String).annotate({
    message: "must be a string or null",
    description: "Template of the payload; null: the default payload."
  }),
  enabled: flag("Default: true.")
}

export const NewAutomation = object(
  { ...required, ...optional({ ...others, secret: secret("Default: one is made.") }) },
  "An automation to make."
)
export type NewAutomation = typeof NewAutomation.Type

export const AutomationChange = object(optional({ ...required, ...others }), "What to change of an automation.")
export type AutomationChange = typeof AutomationChange.Type

export const automationTarget = ({ id }: Automation) => ({ type: "automation", id })

/** An automation in the form of the audit log. Only the kind of a payload template is logged, because it may contain a receiver's key. */
export const automationFields = (automation: Automation): Readonly<Record<string, AuditedField>> => ({
  folder_id: shown(automation.folderId),
  url: auditedUrl(automation.url),
  method: shown(automation.method),
  headers: auditedHeaders(automation.headers),
  payload: { value: automation.payloadTemplate, shown: automation.payloadTemplate === null ? "default" : "custom" },
  enabled: shown(automation.enabled)
})
