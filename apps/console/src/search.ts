import { auditCategories, auditEventTypes, auditSeverities } from "@tapedeck/domain/audit"
import type { DeliveriesSearch } from "./deliveries/queries.ts"
import { states } from "./deliveries/words.ts"
import { orders, platforms, types } from "./recordings/facts.ts"
import { choiceOf } from "./ui/format.ts"

/** Search parameters in the address of a list. */
type Search = Readonly<Record<string, unknown>>

/** Returns the named texts of the URL. A missing text is undefined, so that other parameters of the URL are dropped. */
const textsIn = <Name extends string>(
  search: Search,
  names: ReadonlyArray<Name>
): { readonly [Key in Name]?: string | undefined } => {
  const found: { [Key in Name]?: string | undefined } = {}
  for (const name of names) {
    const value = search[name]
    found[name] = (typeof value === "string" || typeof value === "number") && value !== "" ? String(value) : undefined
  }
  return found
}

type Choices = Readonly<Record<string, ReadonlyArray<string>>>

/** Returns the named choices of the URL; undefined for a value that a choice does not have. */
const choicesIn = <Given extends Choices>(
  search: Search,
  choices: Given
): { readonly [Name in keyof Given]?: Given[Name][number] | undefined } =>
  Object.fromEntries(
    Object.entries(choices).map(([name, values]) => [name, choiceOf(values, search[name])])
  ) as ReturnType<typeof choicesIn<Given>>

export const readRecordingsSearch = (search: Search) => ({
  ...textsIn(search, ["search", "folder", "owner", "since", "until"]),
  ...choicesIn(search, { type: types, platform: platforms, sort: orders })
})

/** Reads the moment of a recording, in whole seconds from its start. */
export const readRecordingSearch = ({ t }: Search): { readonly t?: number | undefined } => {
  const seconds = Number(t)
  return { t: t !== "" && Number.isInteger(seconds) && seconds >= 0 ? seconds : undefined }
}

/** Reads the values of a new link, which macros of helpdesks set. */
export const readNewLinkSearch = (search: Search) => textsIn(search, ["ticket", "helpdesk", "customer", "title"])

export const readNewAutomationSearch = (search: Search) => textsIn(search, ["folder"])

export const readDeliveriesSearch = (search: Search): DeliveriesSearch => ({
  ...textsIn(search, ["automation", "destination", "recording", "event", "status", "since", "until"]),
  ...choicesIn(search, { state: states })
})

export const readSecuritySearch = (search: Search) => ({
  ...textsIn(search, ["user", "recording", "since", "until"]),
  ...choicesIn(search, { category: auditCategories, event: auditEventTypes, severity: auditSeverities })
})
