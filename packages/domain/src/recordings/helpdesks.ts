/** The eight helpdesks, each with its label and the field that identifies a conversation with a customer. */
export const helpdesks = {
  zendesk: { label: "Zendesk", nativeId: "ticketId", kind: "ticket" },
  intercom: { label: "Intercom", nativeId: "conversationId", kind: "conversation" },
  freshdesk: { label: "Freshdesk", nativeId: "ticketId", kind: "ticket" },
  freshdesk_chat: { label: "Freshdesk Chat", nativeId: "conversationId", kind: "conversation" },
  freshservice: { label: "Freshservice", nativeId: "ticketId", kind: "ticket" },
  helpscout: { label: "Help Scout", nativeId: "conversationId", kind: "conversation" },
  hubspot: { label: "HubSpot", nativeId: "objectId", kind: "object" },
  jira: { label: "Jira", nativeId: "issueId", kind: "issue" }
} as const

type Helpdesks = typeof helpdesks

export const helpdeskPlatforms = Object.keys(helpdesks) as ReadonlyArray<keyof Helpdesks>

/** Labels of the helpdesks. */
export const helpdeskLabels = Object.fromEntries(
  helpdeskPlatforms.map((platform) => [platform, helpdesks[platform].label])
) as { readonly [Platform in keyof Helpdesks]: Helpdesks[Platform]["label"] }
