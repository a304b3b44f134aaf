import type { Settings } from "@tapedeck/client"
import type { Platform, RecordingType } from "@tapedeck/domain"
import type { RedactionRule } from "@tapedeck/domain/capture"
import {
  helpdeskLabels,
  helpdeskPlatforms,
  type RecordingOrder,
  ticketAddress
} from "@tapedeck/domain/internal/recordings"
import type { Tone } from "../ui/Badge.tsx"
import { choiceOf, keysOf, known } from "../ui/format.ts"

type Recording = Settings.Recording

export const titleOf = ({ title }: Pick<Recording, "title">): string => title ?? "Untitled recording"

const platformNames: Readonly<Record<Platform, string>> = { ...helpdeskLabels, app: "Tapedeck" }

/** Helpdesks by which recordings can be filtered, and the service's own app. */
export const platforms = keysOf(platformNames)

export const platformName = (platform: string): string => known(platformNames, platform) ?? platform

/** The helpdesk and its ticket: `Zendesk 4711`; null for a recording without a ticket. */
export const ticketOf = ({ metadata: { helpdesk_info: helpdesk } }: Recording): string | null =>
  helpdesk.ticket_id === null ? null : `${platformName(helpdesk.platform)} ${helpdesk.ticket_id}`

/** Returns the address of the ticket's page in the helpdesk; undefined without a ticket, or without the helpdesk's address. */
export const ticketUrlOf = (
  { metadata: { helpdesk_info: helpdesk } }: Recording,
  addresses: Readonly<Record<string, string>>
): string | undefined => {
  const platform = choiceOf(helpdeskPlatforms, helpdesk.platform)
  const base = known(addresses, helpdesk.platform)
  if (platform === undefined || base === undefined || helpdesk.ticket_id === null) return undefined
  return ticketAddress(platform, base, helpdesk.ticket_id)
}

export const typeTones = {
  Received: "info",
  Sent: "plain",
  Live: "good"
} as const satisfies Record<RecordingType, Tone>

export const types = keysOf(typeTones)

export const typeMeanings: Readonly<Record<RecordingType, string>> = {
  Received: "Recorded by a customer",
  Sent: "Recorded by an agent",
  Live: "Recorded in a live video call"
}

const redactionNames: Readonly<Record<RedactionRule, readonly [single: string, plural: string]>> = {
  header: ["header", "headers"],
  query_parameter: ["parameter", "parameters"],
  field: ["field", "fields"],
  credentials: ["credentials in an address", "credentials in addresses"],
  jwt: ["JSON Web Token", "JSON Web Tokens"],
  bearer: ["token", "tokens"],
  card: ["card number", "card numbers"],
  email: ["e-mail address", "e-mail addresses"],
  body: ["body", "bodies"],
  earlier: ["value that was redacted earlier", "values that were redacted earlier"]
}

/** Returns the numbers of redactions as text: `2 headers, 1 e-mail address`. A server may have rules of a later version. */
export const redactedText = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([rule, count]) => {
      const [single, plural] = known(redactionNames, rule) ?? [rule, rule]
      return `${count.toLocaleString("en")} ${count === 1 ? single : plural}`
    })
    .join(", ") || "Nothing"

export const orderNames: Readonly<Record<RecordingOrder, string>> = {
  "-created_at": "Newest first",
  created_at: "Oldest first",
  title: "By title",
  "-title": "By title, from Z",
  "-duration": "Longest first",
  duration: "Shortest first"
}

export const orders = keysOf(orderNames)
