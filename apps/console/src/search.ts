import type { DeliveriesSearch } from "./deliveries/queries.ts"
import { states } from "./deliveries/words.ts"

/** What addresses of lists hold. */
type Search = Readonly<Record<string, unknown>>

/** The given texts by name. What is not there is undefined, so that nothing of the address comes past this. */
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

export const readRecordingsSearch = (search: Search) =>
  textsIn(search, ["search", "type", "platform", "folder", "owner", "since", "until", "sort"])

export const readNewAutomationSearch = (search: Search) => textsIn(search, ["folder"])

export const readDeliveriesSearch = (search: Search): DeliveriesSearch => ({
  ...textsIn(search, ["automation", "destination", "recording", "event", "status", "since", "until"]),
  state: states.find((one) => one === search.state)
})

export const readSecuritySearch = (search: Search) =>
  textsIn(search, ["category", "event", "severity", "user", "since", "until"])
