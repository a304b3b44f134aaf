import { type Automation, type AutomationCondition, HelpdeskPlatform, platformOnWire } from "@tapedeck/domain"
import type { AutomationInput, Lenient, Report } from "@tapedeck/domain/input"
import { platformOf } from "../input/helpdesk.ts"

type ConditionInput = NonNullable<AutomationInput["only"]>

/** Reports the platforms of a condition that there are not (N3). */
export const checkCondition = (only: Lenient<ConditionInput> | undefined, vendor: string, report: Report) => {
  for (const [index, platform] of (only?.platforms ?? []).entries()) {
    if (typeof platform !== "string" || platformOf(platform, vendor) !== undefined) continue
    const names = [...HelpdeskPlatform.literals, platformOnWire("app", vendor)]
    report(["platforms", index], `must be one of ${names.join(", ")}`)
  }
}

/** Returns a condition as the API shows it. */
export const shownCondition = ({ hasTicket, platforms, types }: AutomationCondition, vendor: string) => ({
  platforms: platforms.map((platform) => platformOnWire(platform, vendor)),
  types,
  has_ticket: hasTicket
})

/** Returns the condition of an automation as a field; none for a condition that lets every recording through. */
export const conditionOf = (only: ConditionInput | undefined, vendor: string): Pick<Automation, "only"> => {
  const { has_ticket: hasTicket = false, platforms = [], types = [] } = only ?? {}
  if (!hasTicket && platforms.length === 0 && types.length === 0) return {}
  const known = platforms.map((platform) => platformOf(platform, vendor)).filter((platform) => platform !== undefined)
  return { only: { platforms: [...new Set(known)], types: [...new Set(types)], hasTicket } }
}
