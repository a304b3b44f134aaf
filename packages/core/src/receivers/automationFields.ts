import type { Automation } from "@tapedeck/domain"
import { noCondition } from "@tapedeck/domain/internal/receivers"
import { type AuditedField, plainField } from "../audit/audited.ts"
import { auditedHeaders, auditedUrl } from "./webhookFields.ts"

export const automationTarget = ({ id }: Automation) => ({ type: "automation", id })

/** An automation in the form of the audit log. Only the kind of a payload template is logged, because it may contain a receiver's key. */
export const automationFields = (automation: Automation): Readonly<Record<string, AuditedField>> => {
  const { hasTicket, platforms, types } = automation.only ?? noCondition
  return {
    folder_id: plainField(automation.folderId),
    url: auditedUrl(automation.url),
    method: plainField(automation.method),
    headers: auditedHeaders(automation.headers),
    payload: { value: automation.payloadTemplate, shown: automation.payloadTemplate === null ? "default" : "custom" },
    only: plainField({ platforms, types, has_ticket: hasTicket }),
    enabled: plainField(automation.enabled)
  }
}
