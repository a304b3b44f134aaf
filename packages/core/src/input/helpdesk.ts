import { type Helpdesk, HelpdeskPlatform, normalizedTicketId, type Platform, platformOnWire } from "@tapedeck/domain"
import type { HelpdeskInput, Lenient, Report } from "@tapedeck/domain/input"
import { type NativeIdField, nativeIdField, noHelpdesk } from "@tapedeck/domain/internal/recordings"
import { Schema } from "effect"

const isHelpdesk = Schema.is(HelpdeskPlatform)

/** The platform that a document names: a helpdesk, or the own app by its vendor word (N2). */
export const platformOf = (written: string | undefined, vendor: string): Platform | undefined => {
  if (written === undefined || written === platformOnWire("app", vendor)) return "app"
  return isHelpdesk(written) ? written : undefined
}

const ownIdKeys = {
  ticketId: "ticket_id",
  conversationId: "conversation_id",
  issueId: "issue_id",
  objectId: "object_id"
} as const
const ownIdFields = Object.keys(ownIdKeys) as ReadonlyArray<NativeIdField>

/** Reports the invalid values of helpdesk links (N3, N5). */
export const checkHelpdesk = (helpdesk: Lenient<HelpdeskInput>, vendor: string, report: Report) => {
  const platform = platformOf(helpdesk.platform, vendor)
  if (platform === undefined) {
    const names = [...HelpdeskPlatform.literals, platformOnWire("app", vendor)]
    return report(["platform"], `must be one of ${names.join(", ")}`)
  }
  if (isGiven(helpdesk.active_ticket_id) && platform !== "zendesk") {
    report(["active_ticket_id"], "only zendesk has follow-up tickets")
  }
  const native = nativeIdField(platform)
  if (native === null) {
    for (const field of ownIdFields) {
      const key = ownIdKeys[field]
      if (isGiven(helpdesk[key])) report([key], "the own app has no tickets: give a platform")
    }
    return
  }
  const key = ownIdKeys[native]
  const ownId = helpdesk[key]
  if (isGiven(helpdesk.ticket_id) && isGiven(ownId) && helpdesk.ticket_id !== ownId) {
    report(["ticket_id"], `must be the same as ${key}, which is the own id of ${platform} (or be left out)`)
  }
}

const isGiven = (value: string | null | undefined): value is string => value !== undefined && value !== null

/** A checked helpdesk's info. `ticket_id` alone sets the platform's own id. */
export const helpdeskFrom = (entry: HelpdeskInput | undefined, vendor: string): Helpdesk => {
  if (entry === undefined) return noHelpdesk
  const platform = platformOf(entry.platform, vendor) ?? "app"
  const native = nativeIdField(platform)
  const own = {
    ticketId: native === "ticketId" ? (entry.ticket_id ?? null) : null,
    conversationId: entry.conversation_id ?? null,
    issueId: entry.issue_id ?? null,
    objectId: entry.object_id ?? null
  }
  return {
    platform,
    ...own,
    ...(native === null ? {} : { [native]: own[native] ?? entry.ticket_id ?? null }),
    activeTicketId: entry.active_ticket_id ?? null,
    userId: entry.user_id ?? null,
    operatorId: entry.operator_id ?? null,
    customerId: entry.customer_id ?? null
  }
}

/** A helpdesk's info as a document writes it, with the own id in its place and as `ticket_id`. */
export const helpdeskEntryOf = (helpdesk: Helpdesk, vendor: string): Required<HelpdeskInput> => ({
  platform: platformOnWire(helpdesk.platform, vendor),
  ticket_id: normalizedTicketId(helpdesk),
  active_ticket_id: helpdesk.activeTicketId,
  conversation_id: helpdesk.conversationId,
  issue_id: helpdesk.issueId,
  object_id: helpdesk.objectId,
  user_id: helpdesk.userId,
  operator_id: helpdesk.operatorId,
  customer_id: helpdesk.customerId
})

/**
 * Returns a recording's helpdesk with the ticket of a later entry, if the recording has none yet. What the helpdesk has stays; ids of another
 * helpdesk are not mixed with them.
 */
export const withTicketOf = (before: Helpdesk, entry: HelpdeskInput | undefined, vendor: string): Helpdesk => {
  const named = helpdeskFrom(entry, vendor)
  if (normalizedTicketId(named) === null || normalizedTicketId(before) !== null) return before
  const { platform, ...ids } = before
  const isEmpty = Object.values(ids).every((id) => id === null)
  if (isEmpty) return named
  if (platform !== named.platform) return before
  const given = Object.entries(ids).filter(([, id]) => id !== null)
  return { ...named, ...Object.fromEntries(given) }
}
