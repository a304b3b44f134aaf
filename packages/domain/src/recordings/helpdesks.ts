/**
 * The eight helpdesks, each with its label and the field that identifies a conversation with a customer. `addresses`: what a page of
 * a ticket has in its address, without the scheme; the group is the native id.
 */
export const helpdesks = {
  zendesk: {
    label: "Zendesk",
    nativeId: "ticketId",
    kind: "ticket",
    addresses: [
      /^[\w-]+\.zendesk\.com\/(?:.*\/)?(?:tickets|requests)\/(\d+)/,
      // Also at the host name of the account's own domain.
      /^[^/]+\/agent\/tickets\/(\d+)/
    ]
  },
  intercom: {
    label: "Intercom",
    nativeId: "conversationId",
    kind: "conversation",
    addresses: [/^app\.(?:eu\.|au\.)?intercom\.(?:com|io)\/.*\/conversations?\/(\d+)/]
  },
  freshdesk: {
    label: "Freshdesk",
    nativeId: "ticketId",
    kind: "ticket",
    addresses: [/^[\w-]+\.freshdesk\.com\/(?:.*\/)?tickets\/(\d+)/]
  },
  freshdesk_chat: {
    label: "Freshdesk Chat",
    nativeId: "conversationId",
    kind: "conversation",
    addresses: [/^[\w-]+\.(?:freshchat|myfreshworks)\.com\/.*\/conversation\/([\w-]+)/]
  },
  freshservice: {
    label: "Freshservice",
    nativeId: "ticketId",
    kind: "ticket",
    addresses: [/^[\w-]+\.freshservice\.com\/(?:.*\/)?tickets\/(?:[A-Z]+-)?(\d+)/]
  },
  helpscout: {
    label: "Help Scout",
    nativeId: "conversationId",
    kind: "conversation",
    addresses: [/^secure\.helpscout\.net\/conversations?\/(\d+)/]
  },
  hubspot: {
    label: "HubSpot",
    nativeId: "objectId",
    kind: "object",
    // `0-5` is HubSpot's type of tickets.
    addresses: [/^app(?:-[\w]+)?\.hubspot\.com\/.*\/(?:ticket|0-5)\/(\d+)/]
  },
  jira: {
    label: "Jira",
    nativeId: "issueId",
    kind: "issue",
    addresses: [
      // Also at the host name of a Jira of one's own.
      /^[^/]+\/(?:.*\/)?browse\/([A-Z][A-Z0-9_]*-\d+)/,
      /^[\w-]+\.atlassian\.net\/.*[/=]([A-Z][A-Z0-9_]*-\d+)(?:[?&#/]|$)/
    ]
  }
} as const

type Helpdesks = typeof helpdesks

export const helpdeskPlatforms = Object.keys(helpdesks) as ReadonlyArray<keyof Helpdesks>

/** Labels of the helpdesks. */
export const helpdeskLabels = Object.fromEntries(
  helpdeskPlatforms.map((platform) => [platform, helpdesks[platform].label])
) as { readonly [Platform in keyof Helpdesks]: Helpdesks[Platform]["label"] }

/** Maximum length of the address of a ticket. A longer one is not read. */
export const MAX_TICKET_ADDRESS = 2_000

/** Returns the ticket whose page in a helpdesk has the address; undefined for any other text. */
export const ticketAt = (
  address: string
): { readonly platform: keyof Helpdesks; readonly ticketId: string } | undefined => {
  const written = address.trim()
  if (written.length > MAX_TICKET_ADDRESS || !/^https?:\/\//i.test(written) || !URL.canParse(written)) return undefined
  const { hash, host, pathname, search } = new URL(written)
  const place = host + pathname + search + hash
  for (const platform of helpdeskPlatforms) {
    for (const pattern of helpdesks[platform].addresses) {
      const ticketId = pattern.exec(place)?.[1]
      if (ticketId !== undefined) return { platform, ticketId }
    }
  }
  return undefined
}
