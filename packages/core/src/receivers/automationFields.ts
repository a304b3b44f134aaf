import type { Automation } from "@tapedeck/domain"
import { type AuditedField, shown } from "../audit/audited.ts"
import { auditedHeaders, auditedUrl } from "./webhookFields.ts"

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
