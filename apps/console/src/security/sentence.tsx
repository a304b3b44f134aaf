import { useQueries } from "@tanstack/react-query"
import type { Settings } from "@tapedeck/client"
import { type AuditPlaceholder, auditEventTypes, predicateOf } from "@tapedeck/domain/audit"
import { useMemo } from "react"
import { tapedeck } from "../api/client.ts"
import { automationName, useDestinations } from "../deliveries/queries.ts"
import { useAutomations, useFolders } from "../folders/queries.ts"
import { usePeople } from "../people/queries.ts"
import { ticketOf, titleOf } from "../recordings/facts.ts"
import { choiceOf, words } from "../ui/format.ts"

type Entry = Settings.AuditEntry

/** Returns the name of an object that the reader may see; undefined if it is unknown or deleted. */
export type NameOf = (type: string, id: string) => string | undefined

/** Number of entries whose recordings are read by one request: the API's limit, and a page of the log. */
const chunk = 100

const recordingsOf = (entries: ReadonlyArray<Entry>): ReadonlyArray<string> => [
  ...new Set(
    entries.flatMap(({ metadata: { target_id: id, target_type: type } }) => (type === "recording" ? [id] : []))
  )
]

/** Returns the names of the objects that audit entries mention. The recordings of a page of entries are read by one request. */
export const useEntryNames = (entries: ReadonlyArray<Entry>): NameOf => {
  const pages = Array.from({ length: Math.ceil(entries.length / chunk) }, (_, index) =>
    recordingsOf(entries.slice(index * chunk, (index + 1) * chunk))
  )
  const recordings = useQueries({
    queries: pages
      .filter((uuids) => uuids.length > 0)
      .map((uuids) => ({
        queryKey: ["recordings", uuids],
        queryFn: async () => (await tapedeck.settings.recordings.list({ uuids: uuids.join(",") })).items
      })),
    combine: (read) => read.flatMap(({ data = [] }) => data)
  })
  const automations = useAutomations().data
  const destinations = useDestinations().data
  const people = usePeople().data
  const folders = useFolders().data
  return useMemo(() => {
    const names = new Map<string, string>()
    for (const one of recordings) {
      const ticket = ticketOf(one)
      names.set(`recording ${one.uuid}`, `${titleOf(one)}${ticket === null ? "" : ` (${ticket})`}`)
    }
    for (const { id, name } of folders ?? []) names.set(`folder ${id}`, name)
    for (const one of automations ?? [])
      names.set(`automation ${one.id}`, automationName(one, names.get(`folder ${one.folder_id}`) ?? null))
    for (const { id, name } of destinations ?? []) names.set(`audit_destination ${id}`, name)
    for (const { id, name } of people ?? []) names.set(`user ${id}`, name)
    return (type, id) => names.get(`${type} ${id}`)
  }, [recordings, automations, destinations, people, folders])
}

/** Fields of changed objects that name them. */
const nameFields = ["title", "name", "email", "url"] as const

/** Maximum length of an id that is shown whole, in characters. */
const maxId = 24

const shortId = (id: string): string => (id.length <= maxId ? id : `${id.slice(0, 8)}…${id.slice(-4)}`)

const targetOf = ({ metadata: { changes, target_id: id, target_type: type } }: Entry, nameOf: NameOf): string => {
  const known = nameOf(type, id)
  if (known !== undefined) return known
  for (const field of nameFields) {
    const value = changes[field]?.to ?? changes[field]?.from
    if (typeof value === "string" && value !== "") return value
  }
  return type === "recording" ? `a recording (${shortId(id)})` : type === "operation" ? id : shortId(id)
}

const valueOf = (placeholder: AuditPlaceholder, entry: Entry, nameOf: NameOf): string => {
  if ("of" in placeholder) {
    const { target_type: type } = entry.metadata
    return placeholder.of === "target" ? targetOf(entry, nameOf) : words(type).toLowerCase()
  }
  const { field, side } = placeholder
  const value = entry.metadata.changes[field]?.[side]
  if (typeof value !== "string") return "–"
  return (field === "folder_id" ? nameOf("folder", value) : undefined) ?? value
}

/** A part of a sentence, which is a name or not. */
interface Part {
  readonly text: string
  readonly isName: boolean
}

const plain = (text: string): Part => ({ text, isName: false })

/** Returns the entry as a sentence: `Ada Lovelace moved Checkout fails (Zendesk 4711) into the folder VIP`. */
const sentenceOf = (entry: Entry, nameOf: NameOf): ReadonlyArray<Part> => {
  const { event_type, status, user } = entry
  const eventType = choiceOf(auditEventTypes, event_type)
  // A newer server may have other event types.
  const predicate = eventType === undefined ? [`: ${event_type}`] : [" ", ...predicateOf(eventType)]
  const parts = predicate.map(
    (part): Part =>
      typeof part === "string"
        ? plain(part)
        : { text: valueOf(part, entry, nameOf), isName: !("of" in part) || part.of === "target" }
  )
  const actor: Part = user === null ? plain("The system") : { text: user.name, isName: true }
  return [actor, ...parts, ...(status === "failure" ? [plain(": refused")] : [])]
}

export const sentenceText = (entry: Entry, nameOf: NameOf): string =>
  sentenceOf(entry, nameOf)
    .map(({ text }) => text)
    .join("")

/** An audit entry as a sentence, with its names in bold. */
export const Sentence = ({ entry, nameOf }: { readonly entry: Entry; readonly nameOf: NameOf }) =>
  sentenceOf(entry, nameOf).map(({ isName, text }, index) =>
    isName ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of an entry's sentence stay in their order
      <bdi key={index} className="font-medium">
        {text}
      </bdi>
    ) : (
      text
    )
  )
