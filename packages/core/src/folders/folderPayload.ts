import {
  type AddedToFolder,
  type Automation,
  defaultTemplate,
  type Recording,
  receiverOfAutomation,
  type SkipReason,
  type TemplateVariable,
  templateValues,
  templateVariables
} from "@tapedeck/domain"
import {
  hasVariables,
  noCondition,
  parseUrlTemplate,
  renderUrl,
  type UrlTemplate,
  unmetCondition,
  urlVariables
} from "@tapedeck/domain/internal/receivers"
import { parseTemplate, renderTemplate, type Template, variablesOf } from "@tapedeck/domain/template"
import { Result } from "effect"
import type { NewDelivery } from "../deliveries/Deliveries.ts"

/** An automation that fires, with its templates, which are checked when they are saved (W6): one that does not parse is a defect. */
export interface Firing {
  readonly automation: Automation
  /** Part of the automation's condition that does not hold for the recording (T4). */
  readonly unmet: SkipReason | undefined
  readonly payload: Template<TemplateVariable>
  /** Null if the URL has no variables. */
  readonly url: UrlTemplate | null
}

export const firingOf = (automation: Automation, recording: Recording): Firing => ({
  automation,
  unmet: unmetCondition(automation.only ?? noCondition, recording),
  payload:
    automation.payloadTemplate === null
      ? defaultTemplate
      : Result.getOrThrow(parseTemplate(automation.payloadTemplate, templateVariables)),
  // An older program may have accepted a URL that is not valid: its attempts are blocked.
  url: hasVariables(automation.url) ? Result.getOrElse(parseUrlTemplate(automation.url), () => null) : null
})

/** Returns the variables that the delivery needs. */
export const variablesOfFiring = ({ payload, unmet, url }: Firing): ReadonlySet<TemplateVariable> => {
  if (unmet !== undefined) return new Set()
  return url === null ? variablesOf(payload) : new Set([...variablesOf(payload), ...urlVariables(url)])
}

/** The delivery of an event; `schedule` is that of the automation. */
export type RenderedDelivery = Pick<NewDelivery, "body" | "urlValues" | "skipped" | "isUrlInvalid" | "schedule">

/** Renders the delivery of an event once (W11). It is skipped if its condition does not hold, or its URL needs a variable that is missing (T4). */
export const renderDelivery = (firing: Firing, event: AddedToFolder): RenderedDelivery => {
  const { automation, payload, unmet, url } = firing
  const { schedule } = receiverOfAutomation(automation)
  if (unmet !== undefined) return { body: "", schedule, skipped: { reason: unmet, variables: [] } }
  const values = templateValues(event, variablesOfFiring(firing))
  if (url === null) return { body: renderTemplate(payload, values), schedule }
  const urlValues: Record<string, string> = {}
  for (const name of urlVariables(url)) if (values[name] !== null) urlValues[name] = String(values[name])
  const rendered = renderUrl(url, urlValues)
  if ("missing" in rendered) {
    return { body: "", schedule, skipped: { reason: "variable_missing", variables: rendered.missing } }
  }
  if ("problem" in rendered) return { body: "", schedule, isUrlInvalid: true }
  return { body: renderTemplate(payload, values), schedule, urlValues }
}
