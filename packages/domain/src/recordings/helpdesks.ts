/**
 * The eight helpdesks, each with its label and the field that identifies a conversation with a customer. `addresses`: what a page of
 * a ticket has in its address, without the scheme; the group is the native id. `page`: path of that page below the helpdesk's address
 * (`base`: an example), for ids of the form `ids`.
 */
export const helpdesks = {
  zendesk: {
    label: "Zendesk",
    nativeId: "ticketId",
    kind: "ticket",
    base: "https://acme.zendesk.com",
    page: "/agent/tickets/",
    ids: /^\d+$/,
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
    base: "https://app.intercom.com/a/apps/abc123",
    page: "/conversations/",
    ids: /^\d+$/,
    addresses: [/^app\.(?:eu\.|au\.)?intercom\.(?:com|io)\/.*\/conversations?\/(\d+)/]
  },
  freshdesk: {
    label: "Freshdesk",
    nativeId: "ticketId",
    kind: "ticket",
    base: "https://acme.freshdesk.com",
    page: "/a/tickets/",
    ids: /^\d+$/,
    addresses: [/^[\w-]+\.freshdesk\.com\/(?:.*\/)?tickets\/(\d+)/]
  },
  freshdesk_chat: {
    label: "Freshdesk Chat",
    nativeId: "conversationId",
    kind: "conversation",
    base: "https://acme.freshchat.com/a/77/inbox/open/0",
    page: "/conversation/",
    ids: /^[\w-]+$/,
    addresses: [/^[\w-]+\.(?:freshchat|myfreshworks)\.com\/.*\/conversation\/([\w-]+)/]
  },
  freshservice: {
    label: "Freshservice",
    nativeId: "ticketId",
    kind: "ticket",
    base: "https://acme.freshservice.com",
    page: "/a/tickets/",
    ids: /^\d+$/,
    addresses: [/^[\w-]+\.freshservice\.com\/(?:.*\/)?tickets\/(?:[A-Z]+-)?(\d+)/]
  },
  helpscout: {
    label: "Help Scout",
    nativeId: "conversationId",
    kind: "conversation",
    base: "https://secure.helpscout.net",
    page: "/conversation/",
    ids: /^\d+$/,
    addresses: [/^secure\.helpscout\.net\/conversations?\/(\d+)/]
  },
  hubspot: {
    label: "HubSpot",
    nativeId: "objectId",
    kind: "object",
    base: "https://app.hubspot.com/contacts/99",
    page: "/ticket/",
    ids: /^\d+$/,
    // `0-5` is HubSpot's type of tickets.
    addresses: [/^app(?:-[\w]+)?\.hubspot\.com\/.*\/(?:ticket|0-5)\/(\d+)/]
  },
  jira: {
    label: "Jira",
    nativeId: "issueId",
    kind: "issue",
    base: "https://acme.atlassian.net",
    page: "/browse/",
    ids: /^[A-Z][A-Z0-9_]*-\d+$/,
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

/** Name of a helpdesk by its API of notes: that of Freshdesk Chat is Freshchat's. */
export type HelpdeskKind = Exclude<keyof Helpdesks, "freshdesk_chat"> | "freshchat"

const helpdeskKindOf = (platform: keyof Helpdesks): HelpdeskKind =>
  platform === "freshdesk_chat" ? "freshchat" : platform

export const helpdeskKinds: ReadonlyArray<HelpdeskKind> = helpdeskPlatforms.map(helpdeskKindOf)

/** Returns the helpdesk of a `provider` or a kind. */
export const platformOfProvider = (provider: keyof Helpdesks | "freshchat"): keyof Helpdesks =>
  provider === "freshchat" ? "freshdesk_chat" : provider

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

/** Returns an example of a helpdesk's address. */
export const helpdeskExample = (platform: keyof Helpdesks): string => helpdesks[platform].base

/** Maximum length of the address of a helpdesk. */
export const MAX_HELPDESK_ADDRESS = 500

/**
 * Returns the address of a helpdesk, below which the pages of its tickets are, without a slash at its end. Undefined for a text that is
 * not an HTTPS address, or that has more than host and path.
 */
export const helpdeskAddress = (text: string): string | undefined => {
  const written = text.trim()
  if (written.length > MAX_HELPDESK_ADDRESS || !URL.canParse(written)) return undefined
  const { href, origin, pathname, protocol } = new URL(written)
  if (protocol !== "https:" || href !== origin + pathname) return undefined
  const parts = pathname.split("/").filter((part) => part !== "")
  return [origin, ...parts].join("/")
}

/** Returns the address of a ticket's page, below the address of its helpdesk; undefined for an id that no page has. */
export const ticketAddress = (platform: keyof Helpdesks, base: string, ticketId: string): string | undefined => {
  const { ids, page } = helpdesks[platform]
  return ids.test(ticketId) ? `${base}${page}${ticketId}` : undefined
}

/** Returns the addresses of helpdesks, by platform, as they are kept. */
export const helpdeskAddressesOf = (addresses: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(addresses).flatMap(([platform, text]) => {
      const address = helpdeskAddress(text)
      return address === undefined ? [] : [[platform, address]]
    })
  )
