import * as Schema from "effect/Schema"
import { helpdeskPlatforms, helpdesks } from "./helpdesks.ts"

/** One of the eight helpdesks: what a ticket search can be restricted to. */
export const HelpdeskPlatform = Schema.Literals(helpdeskPlatforms)
export type HelpdeskPlatform = typeof HelpdeskPlatform.Type

/** A helpdesk, or `app`, the service's own app. On the wire `app` is the vendor word: see `platformOnWire`. */
export const Platform = Schema.Literals([...helpdeskPlatforms, "app"])
export type Platform = typeof Platform.Type

/** The values of the `provider` search parameter: the helpdesks, and `freshchat` for `freshdesk_chat`. */
export const Provider = Schema.Literals([...helpdeskPlatforms, "freshchat"])
export type Provider = typeof Provider.Type

/** The helpdesk that a `provider` means. */
export const platformOfProvider = (provider: Provider): HelpdeskPlatform =>
  provider === "freshchat" ? "freshdesk_chat" : provider

/** The wire value of `platform`: the own app is the vendor word in lower case. */
export const platformOnWire = (platform: Platform, vendor: string): string =>
  platform === "app" ? vendor.toLowerCase() : platform

const nullableString = Schema.NullOr(Schema.String)

/** What a recording is linked to in a helpdesk (HelpdeskInfo). */
export const Helpdesk = Schema.Struct({
  platform: Platform,
  conversationId: nullableString,
  ticketId: nullableString,
  activeTicketId: nullableString,
  userId: nullableString,
  operatorId: nullableString,
  customerId: nullableString,
  issueId: nullableString,
  objectId: nullableString
})
export type Helpdesk = typeof Helpdesk.Type

/** A recording of the own app, linked to nothing. */
export const noHelpdesk: Helpdesk = {
  platform: "app",
  conversationId: null,
  ticketId: null,
  activeTicketId: null,
  userId: null,
  operatorId: null,
  customerId: null,
  issueId: null,
  objectId: null
}

export type NativeIdField = "ticketId" | "conversationId" | "issueId" | "objectId"

/** The field that holds the native id of `platform`; null for the own app, which has no tickets. */
export const nativeIdField = (platform: Platform): NativeIdField | null =>
  platform === "app" ? null : helpdesks[platform].nativeId

/** The `ticket_id` of a response: the native id of the recording's platform. */
export const normalizedTicketId = (helpdesk: Helpdesk): string | null => {
  const field = nativeIdField(helpdesk.platform)
  return field === null ? null : helpdesk[field]
}

/** The `active_ticket_id` of a response: a Zendesk follow-up ticket, null unless it differs from `ticket_id`. */
export const activeTicketId = (helpdesk: Helpdesk): string | null =>
  helpdesk.platform === "zendesk" && helpdesk.activeTicketId !== normalizedTicketId(helpdesk)
    ? helpdesk.activeTicketId
    : null

/** Whether a search for `ticketId` finds it: the normalized id, or the active follow-up id, exactly. */
export const matchesTicket = (helpdesk: Helpdesk, ticketId: string): boolean =>
  normalizedTicketId(helpdesk) === ticketId || activeTicketId(helpdesk) === ticketId

/**
 * The `recording_source` that follows from the helpdesk: `<Helpdesk> <kind>` (`Zendesk ticket`), or `<Vendor> app`.
 * The kind is that of the native id; `operator` where there is none but an operator is known.
 */
export const derivedSourceLabel = (helpdesk: Helpdesk, vendor: string): string => {
  if (helpdesk.platform === "app") return `${vendor} app`
  const { label, kind } = helpdesks[helpdesk.platform]
  const byOperator = normalizedTicketId(helpdesk) === null && helpdesk.operatorId !== null
  return `${label} ${byOperator ? "operator" : kind}`
}
