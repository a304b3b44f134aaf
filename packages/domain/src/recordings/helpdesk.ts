import * as Schema from "effect/Schema"
import { helpdeskPlatforms, helpdesks } from "./helpdesks.ts"

/** One of the eight helpdesks, to which a ticket search can be restricted. */
export const HelpdeskPlatform = Schema.Literals(helpdeskPlatforms)
export type HelpdeskPlatform = typeof HelpdeskPlatform.Type

/** A helpdesk, or `app` for the service's own app. On the wire, `app` is the vendor's name: see `platformOnWire`. */
export const Platform = Schema.Literals([...helpdeskPlatforms, "app"])
export type Platform = typeof Platform.Type

/** The values of the `provider` search parameter: the helpdesks, and `freshchat` for `freshdesk_chat`. */
export const Provider = Schema.Literals([...helpdeskPlatforms, "freshchat"])
export type Provider = typeof Provider.Type

/** Returns the wire value of `platform`. For the service's own app, it is the vendor's name in lower case. */
export const platformOnWire = (platform: Platform, vendor: string): string =>
  platform === "app" ? vendor.toLowerCase() : platform

const nullableString = Schema.NullOr(Schema.String)

/** Links of a recording to a helpdesk. */
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

/** Links of a recording of the service's own app: none. */
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

/** Returns the field with the native id of `platform`; null for the service's own app, which has no tickets. */
export const nativeIdField = (platform: Platform): NativeIdField | null =>
  platform === "app" ? null : helpdesks[platform].nativeId

/** Returns the `ticket_id` of a response: the native id of the recording's platform. */
export const normalizedTicketId = (helpdesk: Helpdesk): string | null => {
  const field = nativeIdField(helpdesk.platform)
  return field === null ? null : helpdesk[field]
}

/** Returns the `active_ticket_id` of a response: the follow-up ticket of Zendesk; null unless it differs from `ticket_id`. */
export const activeTicketId = (helpdesk: Helpdesk): string | null =>
  helpdesk.platform === "zendesk" && helpdesk.activeTicketId !== normalizedTicketId(helpdesk)
    ? helpdesk.activeTicketId
    : null

/** Returns whether `ticketId` is the normalized id or the id of the active follow-up ticket. */
export const matchesTicket = (helpdesk: Helpdesk, ticketId: string): boolean =>
  normalizedTicketId(helpdesk) === ticketId || activeTicketId(helpdesk) === ticketId

/**
 * Returns the `recording_source` for a helpdesk: `<Helpdesk> <kind>` (`Zendesk ticket`), or `<Vendor> app`. The kind is that of the
 * native id; `operator` if there is none, but an operator is known.
 */
export const derivedSourceLabel = (helpdesk: Helpdesk, vendor: string): string => {
  if (helpdesk.platform === "app") return `${vendor} app`
  const { label, kind } = helpdesks[helpdesk.platform]
  const byOperator = normalizedTicketId(helpdesk) === null && helpdesk.operatorId !== null
  return `${label} ${byOperator ? "operator" : kind}`
}
