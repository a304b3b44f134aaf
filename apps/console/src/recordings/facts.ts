import type { Settings } from "@tapedeck/client"

type Recording = Settings.Recording

export const titleOf = ({ title }: Pick<Recording, "title">): string => title ?? "Untitled recording"

const platformNames: Readonly<Record<string, string>> = {
  zendesk: "Zendesk",
  intercom: "Intercom",
  freshdesk: "Freshdesk",
  freshdesk_chat: "Freshchat",
  freshservice: "Freshservice",
  helpscout: "Help Scout",
  hubspot: "HubSpot",
  jira: "Jira",
  app: "Tapedeck"
}

/** The helpdesks, and the service's own app, that recordings are filtered by. */
export const platforms = [
  "zendesk",
  "intercom",
  "freshdesk",
  "freshdesk_chat",
  "freshservice",
  "helpscout",
  "hubspot",
  "jira",
  "app"
] as const

export const platformName = (platform: string): string => platformNames[platform] ?? platform

/** The helpdesk and its ticket: `Zendesk 4711`; null for a recording of no ticket. */
export const ticketOf = ({ metadata: { helpdesk_info: helpdesk } }: Recording): string | null =>
  helpdesk.ticket_id === null ? null : `${platformName(helpdesk.platform)} ${helpdesk.ticket_id}`

export const typeTones = { Received: "info", Sent: "plain", Live: "good" } as const

export const typeMeanings = {
  Received: "Recorded by a customer",
  Sent: "Recorded by an agent",
  Live: "Recorded in a live video call"
} as const
