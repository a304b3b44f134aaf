import type { TicketSearch } from "@tapedeck/core"
import { type Provider, platformOfProvider } from "@tapedeck/domain"

export interface TicketQuery {
  readonly ticket_id?: string
  readonly provider?: Provider
}

/** The search that a list of recordings is asked for, if it is (N4, N6). */
export const ticketSearch = ({ provider, ticket_id: ticketId }: TicketQuery): { readonly ticket?: TicketSearch } => {
  if (ticketId === undefined) return {}
  return { ticket: provider === undefined ? { ticketId } : { ticketId, platform: platformOfProvider(provider) } }
}
